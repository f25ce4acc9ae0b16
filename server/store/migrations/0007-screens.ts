/** Tables of the screens: visits, and officers who may sign in at the counter. */
import { desk } from './0007/desk.ts'
import { staff } from './0007/staff.ts'
import { visits } from './0007/visits.ts'

export const screens = [visits, staff, desk].join('\n')
