/**
 * The kinds of contact details that a passcode verifies. Everything in which they differ is in this table; the passcode, its
 * limits and its states are the same for all of them.
 */
import type { ConnectorId } from './disclosure.ts'
import type { Evidence, EvidenceFamily } from './evidence.ts'
import type { EvidenceType } from './types.ts'

/** Names of the members of the spec's `contactDetails`. */
export const CONTACT_KINDS = ['mobile', 'email', 'landline'] as const
export type ContactKind = (typeof CONTACT_KINDS)[number]

export interface ContactRule {
  /** Ours; a proof writes CONTACT for all of them. */
  readonly family: EvidenceFamily
  readonly type: EvidenceType
  readonly feature: 'mobileOtp' | 'emailOtp' | 'landlineOtp'
  /** Spec "IdentityOperation name values": the call that sends the passcode, and the one that brings it back. */
  readonly operations: { readonly send: 'MOBILE_OTP' | 'EMAIL_OTP'; readonly verify: VerifyingOperation }
  /** The check that a right passcode passes. */
  readonly check: string
  /** The check that stays open: whose number or mailbox it is. */
  readonly ownership: string
  /** Name of the verification in a proof. */
  readonly step: string
  /** The connector that delivers the passcode. */
  readonly connector: ConnectorId & ('sms' | 'smtp' | 'voice')
}
type VerifyingOperation = 'OTP_VERIFICATION' | 'EMAIL_OTP_VERIFICATION'

export const CONTACTS = {
  mobile: {
    family: 'CONTACT',
    type: 'MOBILE_OTP',
    feature: 'mobileOtp',
    operations: { send: 'MOBILE_OTP', verify: 'OTP_VERIFICATION' },
    check: 'MOBILE_OTP',
    ownership: 'MOBILE_OWNERSHIP',
    step: 'mobile-otp',
    connector: 'sms',
  },
  email: {
    family: 'EMAIL',
    type: 'EMAIL_OTP',
    feature: 'emailOtp',
    operations: { send: 'EMAIL_OTP', verify: 'EMAIL_OTP_VERIFICATION' },
    check: 'EMAIL_OTP',
    ownership: 'EMAIL_OWNERSHIP',
    step: 'email-otp',
    connector: 'smtp',
  },
  // The spec has no operation of its own for a landline: its names of a phone's passcode stand for both.
  landline: {
    family: 'LANDLINE',
    type: 'LANDLINE_OTP',
    feature: 'landlineOtp',
    operations: { send: 'MOBILE_OTP', verify: 'OTP_VERIFICATION' },
    check: 'LANDLINE_OTP',
    ownership: 'LANDLINE_OWNERSHIP',
    step: 'landline-otp',
    connector: 'voice',
  },
} as const satisfies Readonly<Record<ContactKind, ContactRule>>

/** Null: no contact details. */
export function findContactKind({ type }: Pick<Evidence, 'type'>): ContactKind | null {
  return CONTACT_KINDS.find((kind) => CONTACTS[kind].type === type) ?? null
}
