/**
 * The first page: the first area that the roles open. An administrator, who sees no visits, begins with the
 * checklist, which lists what this machine still lacks.
 */
import type { Permission } from '../../../server/counter/contract/staff.ts'
import { NAVIGATION } from '../pages/index.ts'

export const HOME_OF = (can: (permission: Permission) => boolean): string =>
  (can('checklist:do') && !can('proofings:list') ? 'checklist' : undefined) ??
  NAVIGATION.find(({ permission }) => can(permission))?.page ??
  (can('waiting:see') ? 'waiting' : 'me')
