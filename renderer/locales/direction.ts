/** Right-to-left languages among those that screens may be translated into (CLDR). */
const FROM_THE_RIGHT = ['ar', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi']

/**
 * Uses a list, because not every browser that shows a capture element has `Intl.Locale` text info, and a
 * page's `lang` may be no valid tag.
 */
export function getDirection(tag: string): 'ltr' | 'rtl' {
  return FROM_THE_RIGHT.includes(tag.toLowerCase().split('-')[0]) ? 'rtl' : 'ltr'
}
