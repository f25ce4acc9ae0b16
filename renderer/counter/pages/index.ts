/**
 * Every page of the counter: its address, its permission, and whether it is on the rail. To add a page, add a
 * row.
 */
import type { ComponentType } from 'preact'
import type { Permission } from '../../../server/counter/contract/staff.ts'
import type { IconName } from '../ui/icon.tsx'
import { AssistPage } from './assist/index.tsx'
import { AuditPage } from './audit/index.tsx'
import { ChartsPage } from './charts/index.tsx'
import { ChecklistPage } from './checklist/index.tsx'
import { DeskPage } from './desk/index.tsx'
import { DevicesPage } from './devices/index.tsx'
import { DoctorPage } from './doctor/index.tsx'
import { KeyRequestsPage } from './key-requests/index.tsx'
import { KeysPage } from './keys/index.tsx'
import { MePage } from './me/index.tsx'
import type { PageProps } from './page-props.ts'
import { ProofingPage } from './proofing/index.tsx'
import { SearchPage } from './search/index.tsx'
import { StaffPage } from './staff/index.tsx'
import { SettingsPage } from './settings/index.tsx'
import { SyncPage } from './sync/index.tsx'
import { TodayPage } from './today/index.tsx'
import { WaitingPage } from './waiting/index.tsx'

interface PageEntry {
  readonly page: string
  /** Null: every signed-in officer. */
  readonly permission: Permission | null
  readonly component: ComponentType<PageProps>
  /** The area of the navigation rail to which the page belongs. */
  readonly under?: NavigationPage
  /** Hides bar and rail, for a screen that shows only this page. */
  readonly alone?: boolean
  /** The rest of the address is a tab of the same page. */
  readonly keepRest?: boolean
}

export const NAVIGATION = [
  { page: 'today', icon: 'today', permission: 'proofings:list' },
  { page: 'assist', icon: 'assist', permission: 'proofings:assist' },
  { page: 'desk', icon: 'desk', permission: 'desk:decide' },
  { page: 'devices', icon: 'devices', permission: 'devices:see' },
  { page: 'sync', icon: 'sync', permission: 'sync:see' },
  { page: 'audit', icon: 'audit', permission: 'audit:read' },
  { page: 'charts', icon: 'charts', permission: 'charts:see' },
  { page: 'checklist', icon: 'done', permission: 'checklist:do' },
  { page: 'doctor', icon: 'eye', permission: 'doctor:run' },
  { page: 'settings', icon: 'settings', permission: 'settings:change' },
  { page: 'staff', icon: 'staff', permission: 'staff:manage' },
  { page: 'keys', icon: 'keys', permission: 'keys:manage' },
  { page: 'key-requests', icon: 'keys', permission: 'keys:confirm' },
] as const satisfies readonly { page: string; icon: IconName; permission: Permission }[]
type NavigationPage = (typeof NAVIGATION)[number]['page']

export const PAGES: readonly PageEntry[] = [
  { page: 'today', permission: 'proofings:list', component: TodayPage },
  { page: 'proofings', permission: 'proofings:open', component: ProofingPage, under: 'today' },
  { page: 'search', permission: 'proofings:list', component: SearchPage, under: 'today' },
  { page: 'assist', permission: 'proofings:assist', component: AssistPage },
  { page: 'desk', permission: 'desk:decide', component: DeskPage },
  { page: 'devices', permission: 'devices:see', component: DevicesPage, keepRest: true },
  { page: 'sync', permission: 'sync:see', component: SyncPage, keepRest: true },
  { page: 'audit', permission: 'audit:read', component: AuditPage },
  { page: 'charts', permission: 'charts:see', component: ChartsPage, keepRest: true },
  { page: 'checklist', permission: 'checklist:do', component: ChecklistPage },
  { page: 'doctor', permission: 'doctor:run', component: DoctorPage },
  { page: 'settings', permission: 'settings:change', component: SettingsPage, keepRest: true },
  { page: 'staff', permission: 'staff:manage', component: StaffPage },
  { page: 'keys', permission: 'keys:manage', component: KeysPage },
  { page: 'key-requests', permission: 'keys:confirm', component: KeyRequestsPage },
  { page: 'waiting', permission: 'waiting:see', component: WaitingPage, under: 'today', alone: true },
  { page: 'me', permission: null, component: MePage },
]
