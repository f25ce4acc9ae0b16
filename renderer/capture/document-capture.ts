/** <document-capture label="…">: the live picture, not mirrored, with register marks in a passport page's shape. */
import { CameraView, overlay } from './camera-view.ts'

export class DocumentCapture extends CameraView {
  // Small print needs all the pixels there are: a passport page wants 1480 px (300 dpi) for its long side.
  protected readonly wish = { facing: 'environment', widthPx: 3840, heightPx: 2160 } as const

  protected marks(): SVGElement {
    // A page of 125 × 88 mm (ICAO 9303 part 4), one unit per millimetre, in a margin of 7 mm.
    return overlay('0 0 139 102', ['M7 21V7h14M118 7h14v14M132 81v14h-14M21 95H7V81'])
  }
}

export function defineDocumentCapture(): void {
  if (!customElements.get('document-capture')) customElements.define('document-capture', DocumentCapture)
}
