/** Maps each screen to the module that draws it. */
import type { Screen, ScreenName } from '../screen-context.ts'
import { check } from './check.ts'
import { consent } from './consent.ts'
import { details } from './details.ts'
import { documentStep } from './document.ts'
import { goodbye } from './goodbye.ts'
import { phone } from './phone.ts'
import { portrait } from './portrait.ts'
import { resting } from './resting.ts'
import { result } from './result.ts'
import { starting } from './starting.ts'
import { trustedLogin } from './trusted-login.ts'
import { waiting } from './waiting.ts'
import { welcome } from './welcome.ts'

export const SCREENS: Readonly<Record<ScreenName, Screen>> = {
  starting,
  resting,
  welcome,
  consent,
  'trusted-login': trustedLogin,
  phone,
  document: documentStep,
  check,
  details,
  portrait,
  waiting,
  result,
  goodbye,
}
