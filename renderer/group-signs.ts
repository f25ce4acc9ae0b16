/** Writes a long number in groups of four, in which a wrong character is found more easily. */
const GROUP = 4

/** Spaces and hyphens that were typed stay. */
export function groupSigns(value: string): string {
  return /[\s-]/.test(value) ? value : (value.match(new RegExp(`.{1,${GROUP}}`, 'g')) ?? []).join(' ')
}
