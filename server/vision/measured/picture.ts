/** Types of pictures, places in them, and the models that measured them. */

export interface Point {
  readonly x: number
  readonly y: number
}
export interface Box extends Point {
  readonly width: number
  readonly height: number
}
/** Corners in the order top left, top right, bottom right, bottom left of the content. */
export type Quad = readonly [Point, Point, Point, Point]

export type QuarterTurn = 0 | 90 | 180 | 270

/** The model that made a measurement; recorded in the proof. */
export interface ModelUse {
  readonly id: string
  readonly version: string
  readonly sha256: string
}

export type ImageFormat = 'jpeg' | 'png' | 'webp'
export interface ImageInfo {
  readonly format: ImageFormat
  readonly widthPx: number
  readonly heightPx: number
  /** EXIF orientation of the file, 1 (upright) to 8. Already applied to width, height and coordinates. */
  readonly exifOrientation: number
}
