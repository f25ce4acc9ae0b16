/** Whose face the console wears: asked for once, before anybody signs in. Without an answer it wears none. */
import { useEffect, useState } from 'preact/hooks'
import type { BrandView } from '../../server/brand/contract.ts'

let asked: Promise<BrandView | null> | null = null
let known: BrandView | null = null

async function ask(): Promise<BrandView | null> {
  try {
    const response = await fetch('/brand/brand.json')
    known = response.ok ? ((await response.json()) as BrandView | null) : null
  } catch {
    // The next page asks again; name and colours are no reason to wait.
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

/** After an administrator has changed it: name, logo and colours of this page follow. */
export async function refreshBrand(): Promise<void> {
  asked = ask()
  const brand = await asked
  for (const wear of wearers) wear(brand)
  for (const sheet of document.querySelectorAll<HTMLLinkElement>('link[href*="/brand/"]')) {
    sheet.href = `${sheet.href.split('?')[0] ?? ''}?changed=${Date.now()}`
  }
}
