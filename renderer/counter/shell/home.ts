/** Where somebody begins who names no page: the first area that their roles open. */
import type { Permission } from '../../../server/counter/contract/staff.ts'
import { NAVIGATION } from '../pages/index.ts'

export const HOME_OF = (can: (permission: Permission) => boolean): string =>
  NAVIGATION.find(({ permission }) => can(permission))?.page ?? (can('waiting:see') ? 'waiting' : 'me')
