/** What can be measured of a screen's looks (ux.md section 7): targets, zones, sizes of letters. Runs inside the page. */
export interface Measures {
  /** Controls must not begin higher than this; null: they may stand anywhere. */
  readonly handTopPx: number | null
  readonly leastTargetPx: number
  readonly leastLetterPx: number
}

/** @returns what is wrong, in words; empty: nothing. */
export function lookOver({ handTopPx, leastTargetPx, leastLetterPx }: Measures): string[] {
  const findings = new Set<string>()
  const barTop = document.querySelector('.bar')?.getBoundingClientRect().top ?? innerHeight
  const apart =
    '.receipt, .visually-hidden, svg, .file-input, .edge-dot, .is-other-page, .is-absent, [hidden]'
  for (const element of document.querySelectorAll<HTMLElement>('.screen *')) {
    const box = element.getBoundingClientRect()
    if (box.width === 0 || box.height === 0 || element.closest(apart)) continue
    const what = `${element.tagName.toLowerCase()}.${element.className} “${element.textContent.slice(0, 30)}”`
    if (box.bottom > barTop + 1 || box.right > innerWidth + 1 || box.left < -1 || box.top < -1)
      findings.add(`outside: ${what}`)
    if (element instanceof HTMLButtonElement) {
      if (Math.min(box.width, box.height) < leastTargetPx - 1) findings.add(`too small: ${what}`)
      if (handTopPx !== null && box.top < handTopPx - 1) findings.add(`too high: ${what}`)
    }
    const hasLetters = [...element.childNodes].some(
      ({ nodeType, textContent }) => nodeType === 3 && textContent?.trim(),
    )
    if (hasLetters && parseFloat(getComputedStyle(element).fontSize) < leastLetterPx - 0.1)
      findings.add(`small letters: ${what}`)
  }
  return [...findings]
}
