/** The few calls of opentype.js 2.0 that the page's text uses; the package ships no types. */
declare module 'opentype.js' {
  export interface PathCommand {
    readonly type: 'M' | 'L' | 'C' | 'Q' | 'Z'
    readonly x?: number
    readonly y?: number
    readonly x1?: number
    readonly y1?: number
    readonly x2?: number
    readonly y2?: number
  }
  export interface Path {
    readonly commands: readonly PathCommand[]
  }
  export interface Glyph {
    /** Font units; undefined in damaged fonts. */
    readonly advanceWidth?: number
  }
  export interface Font {
    readonly unitsPerEm: number
    getPath(text: string, x: number, y: number, fontSize: number): Path
    getAdvanceWidth(text: string, fontSize: number): number
    charToGlyph(character: string): Glyph
    hasChar(character: string): boolean
  }
  const opentype: { parse(data: ArrayBuffer): Font }
  export default opentype
}
