/** What was typed and not yet sent, while a screen is drawn again in another language. It is held for that moment alone. */

type Draft = readonly [id: string, value: string]

export function draftsOf(root: ParentNode): Draft[] {
  return [...root.querySelectorAll('input')]
    .filter(({ id, type, value }) => id !== '' && type !== 'file' && value !== '')
    .map(({ id, value }) => [id, value])
}

/** Fields are known by their ids; the screen hears of it as if it had been typed. */
export function giveBack(root: ParentNode, drafts: readonly Draft[]): void {
  for (const [id, value] of drafts) {
    const field = [...root.querySelectorAll('input')].find((input) => input.id === id)
    if (!field || field.value === value) continue
    field.value = value
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
}
