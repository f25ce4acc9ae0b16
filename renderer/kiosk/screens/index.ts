/** Which module draws which screen. */
import type { Screen } from '../context.ts'
import type { ScreenName } from '../journey.ts'
import { consent } from './consent.ts'
import { documentPhoto } from './document.ts'
import { goodbye } from './goodbye.ts'
import { portraitPhoto } from './portrait.ts'
import { resting } from './resting.ts'
import { result } from './result.ts'
import { starting } from './starting.ts'
import { waiting } from './waiting.ts'
import { welcome } from './welcome.ts'

export const SCREEN_OF: Readonly<Record<ScreenName, Screen>> = {
  starting,
  resting,
  welcome,
  consent,
  document: documentPhoto,
  portrait: portraitPhoto,
  waiting,
  result,
  goodbye,
}
/** While the document's photo is checked, its own screen gives way to the waiting one. */
export const CHECKING_SCREEN: Screen = waiting
