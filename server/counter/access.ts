/**
 * Permissions of staff: a table from roles to permissions. A route only names the permission it needs; a
 * request without a signed-in officer never reaches a handler.
 */
import type { Request, RequestHandler } from 'express'
import { AppError } from '../errors.ts'

/** `display`: a screen for the whole team, without a person. */
export const ROLES = ['officer', 'supervisor', 'auditor', 'administrator', 'display'] as const
export type Role = (typeof ROLES)[number]

/** The permissions of the counter. */
const PERMISSIONS = [
  'proofings:list', // times, steps and outcomes, no names
  'proofings:open', // with personal data; every opening is an event
  'proofings:assist', // captures and attends; takes over a visit
  'proofings:erase',
  'waiting:see', // waiting applicants: kiosk, step and minutes
  'help:answer',
  'desk:decide',
  'desk:overrule', // decides when two adjudicators disagree
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
  'staff:unlock', // lists accounts, and unlocks those that wrong answers locked
  'staff:manage',
  'checklist:do', // the first-run checklist and its tests
  'doctor:run', // examines the machine and the installation
  'settings:change', // journey, brand, policy, texts and lists
  'keys:manage', // requests keys, and revokes them
  'keys:confirm', // confirms requested keys as the second officer
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

/** Administrators and auditors see no applicant: duties are separated. */
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
    'doctor:run',
    'settings:change',
    'keys:manage',
  ],
  display: ['waiting:see'],
}

/** A signed-in officer with the roles chosen at this sign-in. */
export interface SignedIn {
  readonly staffId: string
  /** The name that colleagues see on screens; never written to a log. */
  readonly name: string
  readonly roles: readonly Role[]
  /** The second factor was given in the last minutes. */
  readonly isFresh: boolean
}

const signedIn = new WeakMap<Request, SignedIn>()

/** Called by the session guard, once the session of the request is verified. */
export function rememberStaff(req: Request, staff: SignedIn): void {
  signedIn.set(req, staff)
}

/** Throws `unauthorized` if no officer is signed in. */
export function requireStaff(req: Request): SignedIn {
  const staff = signedIn.get(req)
  if (!staff) throw new AppError('unauthorized')
  return staff
}

export function isAllowed({ roles }: Pick<SignedIn, 'roles'>, permission: Permission): boolean {
  return roles.some((role) => ALLOWED[role].includes(permission))
}

/** Returns all permissions of these roles, in the order of the list. */
export function listPermissions(roles: readonly Role[]): Permission[] {
  return PERMISSIONS.filter((permission) => isAllowed({ roles }, permission))
}

const asked = new WeakMap<RequestHandler, Permission>()

/** Guard for a route. Throws `unauthorized`, and `forbidden` for a role without the permission. */
export function needs(permission: Permission): RequestHandler {
  const guard: RequestHandler = (req, _res, next) => {
    next(isAllowed(requireStaff(req), permission) ? undefined : new AppError('forbidden', { permission }))
  }
  asked.set(guard, permission)
  return guard
}

/**
 * Returns the permission that a guard requires; undefined: the handler is no guard. A test checks the list of
 * routes with it.
 */
export function permissionAskedBy(handler: RequestHandler): Permission | undefined {
  return asked.get(handler)
}

/**
 * Guard after `needs`, before a sensitive act. Throws `fresh_factor_needed` if the last second factor is too
 * old.
 */
export function needsFresh(): RequestHandler {
  return (req, _res, next) =>
    next(requireStaff(req).isFresh ? undefined : new AppError('fresh_factor_needed'))
}
