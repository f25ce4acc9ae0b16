/** Text of a page as the rules see it, independent of the recogniser. */
export interface TextBox {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}
export interface TextWord {
  readonly text: string
  /** 0–1. */
  readonly confidence: number
  /** Two recognisers read the same letters. */
  readonly isConfirmed?: boolean
  /** Unit: shares of the page's width and height. */
  readonly box: TextBox
}
export interface TextLine {
  readonly words: readonly TextWord[]
  readonly box: TextBox
}
/** One side of a document. */
export interface PageContent {
  /** Top to bottom. */
  readonly lines: readonly TextLine[]
  /** Width over height of the page. */
  readonly aspect: number
}
