/** Keys of the on-screen keyboard by script, as data: rows of characters; long lists of letters in place of long presses. */

export const LAYOUT_NAMES = ['latin', 'arabic', 'digits'] as const
export type LayoutName = (typeof LAYOUT_NAMES)[number]
/** letters: the ones of every day · more: letters with marks · signs: digits and what stands in addresses and numbers. */
export type PageName = 'letters' | 'more' | 'signs'

export interface Layout {
  readonly dir: 'ltr' | 'rtl'
  readonly hasCase: boolean
  readonly pages: Readonly<Partial<Record<PageName, readonly (readonly string[])[]>>>
}

const row = (keys: string): readonly string[] => keys.split(' ')
const SIGNS = [row('1 2 3 4 5 6 7 8 9 0'), row("- ' . , / ( ) & : +")]

export const LAYOUTS: Readonly<Record<LayoutName, Layout>> = {
  latin: {
    dir: 'ltr',
    hasCase: true,
    pages: {
      letters: [row('q w e r t y u i o p'), row("a s d f g h j k l '"), row('z x c v b n m - .')],
      // Letters of the Latin alphabets of Europe, sorted by the letter they stand at.
      more: [
        row('à á â ã ä å ā ą æ'),
        row('ç ć č ď ð è é ê ë ē ė'),
        row('ę ě ğ ġ ì í î ï ī į ı'),
        row('ķ ł ļ ľ ñ ń ň ò ó ô õ'),
        row('ö ø œ ő ŕ ř ś š ş ș ß'),
        row('ť þ ț ù ú û ü ū ů ű ų'),
        row('ý ÿ ź ż ž'),
      ],
      signs: SIGNS,
    },
  },
  arabic: {
    dir: 'rtl',
    hasCase: false,
    pages: {
      letters: [row('ض ص ث ق ف غ ع ه خ ح ج'), row('ش س ي ب ل ا ت ن م ك ط'), row('ئ ء ؤ ر ى ة و ز ظ د ذ')],
      more: [row('أ إ آ ٱ پ چ ژ گ ڤ'), row('ً ٌ ٍ َ ُ ِ ّ ْ ـ')],
      signs: [row('٠ ١ ٢ ٣ ٤ ٥ ٦ ٧ ٨ ٩'), row('- / . ، ( ) :')],
    },
  },
  digits: {
    dir: 'ltr',
    hasCase: false,
    pages: { letters: [row('1 2 3'), row('4 5 6'), row('7 8 9')] },
  },
}

/** The keyboard for what stands in a field: Arabic letters in it or in the person's language bring the Arabic one. */
export function layoutFor(text: string, languageTag: string): LayoutName {
  if (/\p{Script=Arabic}/u.test(text)) return 'arabic'
  if (text.trim() !== '' || !/^(ar|fa|ur|ps|ckb)\b/.test(languageTag)) return 'latin'
  return 'arabic'
}

/** Pages of a layout, in the order their key goes through them. */
export function pagesOf(layout: Layout): readonly PageName[] {
  return (['letters', 'more', 'signs'] as const).filter((page) => layout.pages[page] !== undefined)
}
