/** Languages that are written from the right, of those that screens are translated into or may be (CLDR). */
const FROM_THE_RIGHT = ['ar', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi']

/** A list, since not every browser that shows a capture element knows it (`Intl.Locale`), and a page's `lang` may be no tag. */
export function directionOf(tag: string): 'ltr' | 'rtl' {
  return FROM_THE_RIGHT.includes(tag.toLowerCase().split('-')[0]) ? 'rtl' : 'ltr'
}
