/**
 * Who of the staff asks, and what each role may do: a table. A route names the permission it needs and nothing else; a
 * request without a signed-in member of staff never reaches a handler.
 */
import type { Request, RequestHandler } from 'express'
import { AppError } from '../errors.ts'

/** `display`: a screen for the whole team, which nobody sits at. */
export const ROLES = ['officer', 'supervisor', 'auditor', 'administrator', 'display'] as const
export type Role = (typeof ROLES)[number]

/** What a role is allowed to: the verbs of the console. */
export const PERMISSIONS = [
  'proofings:list', // times, steps and outcomes, no names
  'proofings:open', // with personal data; every opening is an event
  'proofings:assist', // captures and attends; takes over a visit
  'proofings:erase',
  'waiting:see', // who waits for staff: kiosk, step and minutes
  'help:answer',
  'desk:decide',
  'desk:overrule', // where two reviewers disagree
  'devices:see',
  'devices:act', // self-test, inspection entries
  'devices:clear-tampering',
  'sync:see',
  'sync:act', // try now, resend
  'sync:join', // joins a head office
  'audit:read',
  'audit:export',
  'charts:see',
  'charts:export',
  'staff:unlock', // sees who has an account, and lets in again whom wrong answers locked out
  'staff:manage',
  'checklist:do', // the first-run checklist and its tests
  'settings:change', // journey, brand, policy, texts and lists
  'keys:manage', // asks for keys, and revokes them
  'keys:confirm', // the second person that new keys take
] as const
export type Permission = (typeof PERMISSIONS)[number]

const OFFICER: readonly Permission[] = [
  'proofings:list',
  'proofings:open',
  'proofings:assist',
  'waiting:see',
  'help:answer',
  'desk:decide',
  'devices:see',
  'devices:act',
  'sync:see',
]

/** Who runs the machine (administrator) or reads the log (auditor) sees no applicant: duties are kept apart. */
export const ALLOWED: Readonly<Record<Role, readonly Permission[]>> = {
  officer: OFFICER,
  supervisor: [
    ...OFFICER,
    'proofings:erase',
    'desk:overrule',
    'devices:clear-tampering',
    'sync:act',
    'charts:see',
    'charts:export',
    'staff:unlock',
    'keys:confirm',
  ],
  auditor: [
    'proofings:list',
    'devices:see',
    'sync:see',
    'audit:read',
    'audit:export',
    'charts:see',
    'charts:export',
  ],
  administrator: [
    'devices:see',
    'devices:act',
    'devices:clear-tampering',
    'sync:see',
    'sync:act',
    'sync:join',
    'charts:see',
    'staff:unlock',
    'staff:manage',
    'checklist:do',
    'settings:change',
    'keys:manage',
  ],
  display: ['waiting:see'],
}

/** A member of staff who is signed in, in the roles chosen at this sign-in. */
export interface SignedIn {
  readonly staffId: string
  /** As colleagues know them; shown on their own screens, never in a log. */
  readonly name: string
  readonly roles: readonly Role[]
  /** A second factor was given in the last minutes. */
  readonly isFresh: boolean
}

const signedIn = new WeakMap<Request, SignedIn>()

/** By the session guard, once the session of the request is known to be good. */
export function rememberStaff(req: Request, staff: SignedIn): void {
  signedIn.set(req, staff)
}

/** Throws `unauthorized` when nobody is signed in. */
export function staffOf(req: Request): SignedIn {
  const staff = signedIn.get(req)
  if (!staff) throw new AppError('unauthorized')
  return staff
}

export function isAllowed({ roles }: Pick<SignedIn, 'roles'>, permission: Permission): boolean {
  return roles.some((role) => ALLOWED[role].includes(permission))
}

/** Everything that these roles may do together, in the order of the list. */
export function permissionsOf(roles: readonly Role[]): Permission[] {
  return PERMISSIONS.filter((permission) => isAllowed({ roles }, permission))
}

const asked = new WeakMap<RequestHandler, Permission>()

/** Put before a route's handler. Throws `unauthorized`, and `forbidden` for a role that may not. */
export function needs(permission: Permission): RequestHandler {
  const guard: RequestHandler = (req, _res, next) => {
    next(isAllowed(staffOf(req), permission) ? undefined : new AppError('forbidden', { permission }))
  }
  asked.set(guard, permission)
  return guard
}

/** The permission that a handler asks for; undefined: it is no guard. The list of routes is checked with it. */
export function permissionAskedBy(handler: RequestHandler): Permission | undefined {
  return asked.get(handler)
}

/** Behind `needs`, before a sensitive act. Throws `fresh_factor_needed` when the last second factor is minutes old. */
export function needsFresh(): RequestHandler {
  return (req, _res, next) => next(staffOf(req).isFresh ? undefined : new AppError('fresh_factor_needed'))
}
