/** The client-side capture component: custom elements that show a camera and take a photo. They send nothing. */
import { defineDocumentCapture } from './document-capture.ts'
import { definePortraitCapture } from './portrait-capture.ts'

export type { CameraProblem } from './camera.ts'
export { DocumentCapture } from './document-capture.ts'
export { PortraitCapture } from './portrait-capture.ts'

export function defineCaptureElements(): void {
  defineDocumentCapture()
  definePortraitCapture()
}
