/** <portrait-capture label="…">: the live picture as in a mirror, with an oval for the face. The photo is not mirrored. */
import { CameraView, overlay } from './camera-view.ts'

export class PortraitCapture extends CameraView {
  // The face needs 90 px between the eyes (ICAO) and room around it; full HD gives both.
  protected readonly wish = { facing: 'user', widthPx: 1920, heightPx: 1080 } as const

  protected marks(): SVGElement {
    // An oval of a head's proportion, three quarters of the height: eyes about 0.2 of the frame's height apart.
    return overlay('0 0 100 100', [
      'M50 11a28 38 0 0 1 0 76a28 38 0 0 1 0-76z',
      'M50 7v8M50 83v8M18 49h8M74 49h8',
    ])
  }
}

export function definePortraitCapture(): void {
  if (!customElements.get('portrait-capture')) customElements.define('portrait-capture', PortraitCapture)
}
