/** Keeps unsent input while a screen is redrawn in another language, and no longer. */

type Draft = readonly [id: string, value: string]

export function collectDrafts(root: ParentNode): Draft[] {
  return [...root.querySelectorAll('input')]
    .filter(({ id, type, value }) => id !== '' && type !== 'file' && value !== '')
    .map(({ id, value }) => [id, value])
}

/** Restores the values by field id and dispatches the events of typing. */
export function giveBack(root: ParentNode, drafts: readonly Draft[]): void {
  for (const [id, value] of drafts) {
    const field = [...root.querySelectorAll('input')].find((input) => input.id === id)
    if (!field || field.value === value) continue
    field.value = value
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
}
