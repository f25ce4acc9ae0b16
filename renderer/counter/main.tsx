/** The counter's page. It holds no key: the session is an HttpOnly cookie. */
import { render } from 'preact'
import { App } from './app.tsx'
import { applyLook, storedLook } from './look.ts'
import { watchLeaving } from './route.ts'

applyLook(storedLook())
watchLeaving()
const root = document.getElementById('console')
if (root) render(<App />, root)
