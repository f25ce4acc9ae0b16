/** Entry of the stand-alone bundle (`/capture/component.js`, `/capture/component.css`): defines both elements. */
import './capture.css'
import { defineCaptureElements } from './index.ts'

defineCaptureElements()

export * from './index.ts'
