/** The brand of the counter: fetched once, before the sign-in. Without an answer there is none. */
import { useEffect, useState } from 'preact/hooks'
import type { BrandView } from '../../server/brand/contract.ts'

/** A page without the brand's style sheet has no brand. */
const SHEET = 'link[href*="/brand/"]'

let asked: Promise<BrandView | null> | null = null
let known: BrandView | null = null

async function ask(): Promise<BrandView | null> {
  if (!document.querySelector(SHEET)) return null
  try {
    const response = await fetch('/brand/brand.json')
    known = response.ok ? ((await response.json()) as BrandView | null) : null
  } catch {
    // The next page tries again; the sign-in does not wait for name and colours.
    asked = null
  }
  return known
}

const wearers = new Set<(brand: BrandView | null) => void>()

export function useBrand(): BrandView | null {
  const [brand, setBrand] = useState(known)
  useEffect(() => {
    wearers.add(setBrand)
    void (asked ??= ask()).then(setBrand)
    return () => void wearers.delete(setBrand)
  }, [])
  return brand
}

/** Applies a brand that an administrator has changed: name, logo and colours. */
export async function refreshBrand(): Promise<void> {
  asked = ask()
  const brand = await asked
  for (const wear of wearers) wear(brand)
  for (const sheet of document.querySelectorAll<HTMLLinkElement>(SHEET)) {
    sheet.href = `${sheet.href.split('?')[0] ?? ''}?changed=${Date.now()}`
  }
}
