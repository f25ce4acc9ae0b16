/**
 * The applicant's page: defines its elements; <kiosk-app> does the rest. It holds no key and stores nothing:
 * the session is an HttpOnly cookie, and pictures are deleted with their screen.
 */
import { defineCaptureElements } from '../capture/index.ts'
import { KioskApp } from './app.ts'

defineCaptureElements()
customElements.define('kiosk-app', KioskApp)
