/** The capture component: `<document-capture>` and `<portrait-capture>` for any page with a capture session's id. */
import { defineDocumentCapture } from './document/element.ts'
import { definePortraitCapture } from './portrait/element.ts'

export type * from './events.ts'
export { DOCUMENT_GUIDANCE, GUIDANCE_ICONS, PORTRAIT_GUIDANCE } from './events.ts'
export type { CaptureElement, DocumentCaptureElement, PortraitCaptureElement } from './elements.ts'
export { DocumentCapture } from './document/element.ts'
export { PortraitCapture } from './portrait/element.ts'

export function defineCaptureElements(): void {
  defineDocumentCapture()
  definePortraitCapture()
}
