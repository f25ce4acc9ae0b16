/** The theme: paper by day, ink by night, or high contrast; stored on this computer. */
import { useState } from 'preact/hooks'

export const LOOKS = ['paper', 'ink', 'contrast'] as const
export type Look = (typeof LOOKS)[number]

const STORED_AS = 'counterproof-counter-look'

export function parseLook(value: string | null): Look {
  return LOOKS.find((look) => look === value) ?? 'paper'
}

/** Runs at the first draw and after each choice. */
export function applyLook(look: Look): void {
  const { dataset } = document.documentElement
  delete dataset.surround
  delete dataset.contrast
  if (look === 'ink') dataset.surround = 'ink'
  if (look === 'contrast') dataset.contrast = 'high'
}

export const storedLook = (): Look => parseLook(localStorage.getItem(STORED_AS))

export function useLook(): readonly [Look, (look: Look) => void] {
  const [look, setLook] = useState(storedLook)
  return [
    look,
    (next) => {
      localStorage.setItem(STORED_AS, next)
      applyLook(next)
      setLook(next)
    },
  ]
}
