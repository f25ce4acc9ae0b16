/** The areas of the counter. Every route names the permission it needs and needs a session. */
import { Router } from 'express'
import { assistSetup } from './assist-setup.ts'
import { assistRouter } from './assist.ts'
import { chartsRouter } from './charts.ts'
import { ConsentDisplays } from './consent-displays.ts'
import type { CounterDeps } from './deps.ts'
import { deskRouter } from './desk.ts'
import { devicesRouter } from './devices.ts'
import { displayRouter } from './display.ts'
import { doctorRouter } from './doctor.ts'
import { failuresRouter } from './failures.ts'
import { levelsRouter } from './levels.ts'
import { proofingRouter } from './proofing.ts'
import { CodeTries, searchRouter } from './search.ts'
import { settingsRouter } from './settings.ts'
import { checklistRouter } from './checklist.ts'
import { syncRouter } from './sync.ts'
import { todayRouter } from './today.ts'
import { waitingRouter } from './waiting.ts'

/** `display`: the calls of the applicant's own display, which must have no session. */
export function createWork(deps: CounterDeps): { readonly staff: Router; readonly display: Router } {
  const staff = Router()
  const tries = new CodeTries(deps)
  const displays = new ConsentDisplays(deps.clock)
  const setup = assistSetup(deps)
  staff.use(
    todayRouter(deps),
    waitingRouter(deps),
    searchRouter(deps, tries),
    proofingRouter(deps),
    deskRouter(deps),
    assistRouter(deps, setup, displays, tries),
    syncRouter(deps),
    devicesRouter(deps),
    levelsRouter(deps),
    chartsRouter(deps),
    failuresRouter(deps),
    checklistRouter(deps),
    doctorRouter(deps),
    settingsRouter(deps),
  )
  return { staff, display: displayRouter(deps, displays, setup) }
}
