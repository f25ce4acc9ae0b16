/**
 * The address that an applicant types for a register of addresses: whether one may be asked, the fields of each country that a register
 * covers, and what it answered. It is stored as the API stores an address.
 */
import type { Context } from '../../context.ts'
import { AppError, fieldProblem, type FieldProblem } from '../../errors.ts'
import { hasValue, isAddressValue, type AddressFormats } from '../../proofing/address-form.ts'
import type { RegisterField } from '../../proofing/address-register.ts'
import { countAskable } from '../../proofing/asked-limit.ts'
import { ALPHA_2 } from '../../proofing/country-codes.ts'
import type { ValueName } from '../../proofing/disclosure.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import type { Identity } from '../../proofing/identity.ts'
import {
  describeAddressAnswer,
  judgeTypedAddress,
  listAddressFields,
  toAddress,
  type AddressFields,
  type AddressProblem,
  type AddressWord,
  type TypedAddress,
} from '../../proofing/typed-address.ts'
import type { Caller } from '../../proofing/types.ts'
import { requireIdentity } from '../access/reach.ts'
import { saveAddress } from './submit-data.ts'
import { consentsToAddressRegister } from './verification-subject.ts'

export interface AskedCountry extends AddressFields {
  readonly iso3: string
  /** Null: ISO 3166-1 does not list it. */
  readonly iso2: string | null
  /** Name of the register for people, and the values that it may get. */
  readonly source: string
  readonly told: readonly ValueName[]
}

export interface TypedAddressAnswer {
  readonly evidenceId: string
  /** Name of the register that was asked; null: none yet. */
  readonly source: string | null
  /** Null: it is being asked. */
  readonly says: AddressWord | null
}

export interface AddressQuestion {
  /** Each country once, with the first register that covers it. */
  readonly countries: readonly AskedCountry[]
  /** How many further addresses a register may be asked about. */
  readonly left: number
  /** The addresses that were typed or submitted, oldest first. */
  readonly answers: readonly TypedAddressAnswer[]
  /** An address of this identity is verified already, by a register or a document that states it. */
  readonly isVerified: boolean
}

/** An address with its country, as it was typed. */
export interface StatedAddress {
  readonly country: string
  readonly values: TypedAddress
}

export async function findAddressQuestion(
  ctx: Context,
  caller: Caller,
  identityId: string,
): Promise<AddressQuestion | null> {
  return describeAddressQuestion(ctx, requireIdentity(ctx, caller, identityId, 'READ'))
}

/** Null: no register is configured, or the applicant did not consent to the question. */
export function describeAddressQuestion(
  ctx: Context,
  identity: Pick<Identity, 'id'>,
): AddressQuestion | null {
  if (!consentsToAddressRegister(ctx, identity)) return null
  const all = ctx.store.evidences.list(identity.id)
  const addresses = all.filter(({ family, deletedAt }) => family === 'ADDRESS' && deletedAt === null)
  return {
    countries: listCountries(ctx),
    left: countAskable('ADDRESS', all),
    answers: addresses.filter(({ content }) => !content.derived).map((evidence) => viewAnswer(ctx, evidence)),
    isVerified: addresses.some(({ status }) => status === 'VERIFIED'),
  }
}

/** Lists what should be noticed before the address is sent; nothing is stored. */
export async function checkTypedAddress(
  ctx: Context,
  caller: Caller,
  identityId: string,
  stated: StatedAddress,
): Promise<readonly AddressProblem[]> {
  requireIdentity(ctx, caller, identityId, 'READ')
  return judge(ctx, stated)
}

/**
 * Returns the id of the new evidence. Throws `validation_failed` for a country that no register covers, a part that is missing and an
 * unknown region, and `transition_refused` if no further address may be asked about.
 */
export async function stateAddress(
  ctx: Context,
  caller: Caller,
  identityId: string,
  stated: StatedAddress,
): Promise<{ readonly id: string }> {
  const identity = requireIdentity(ctx, caller, identityId, 'ACT')
  if (!consentsToAddressRegister(ctx, identity)) throw new AppError('consent_missing')
  if (countAskable('ADDRESS', ctx.store.evidences.list(identity.id)) === 0)
    throw new AppError('transition_refused', { reason: 'address_limit' })
  const problems = judge(ctx, stated).filter(({ problem }) => problem !== 'UNUSUAL')
  if (problems.length > 0) throw new AppError('validation_failed', {}, { problems: problems.map(toProblem) })
  const { country, values } = stated
  return saveAddress(ctx, caller, identity.id, toAddress(country, values, ctx.addressRegisters.formats))
}

function judge(ctx: Context, { country, values }: StatedAddress): readonly AddressProblem[] {
  const asked = listCountries(ctx).find(({ iso3 }) => iso3 === country)
  if (!asked) throw fieldProblem('unknown', 'country', 'is none whose addresses a configured register keeps')
  return judgeTypedAddress(country, values, asked, ctx.addressRegisters.formats)
}

function toProblem({ field, problem }: AddressProblem): FieldProblem {
  const message =
    problem === 'MISSING' ? 'must be typed, or the question left out' : 'is no region of this country'
  return { code: problem === 'MISSING' ? 'required' : 'unknown', field: `values.${field}`, message }
}

function listCountries({
  config: { connectors },
  addressRegisters: { formats },
}: Context): readonly AskedCountry[] {
  const asked = new Map<string, AskedCountry>()
  for (const { name, countries, sends } of connectors.addressRegisters)
    for (const country of countries) {
      if (asked.has(country)) continue
      const fields = listAddressFields(country, sends, formats)
      asked.set(country, {
        iso3: country,
        iso2: ALPHA_2.get(country) ?? null,
        source: name,
        told: ['country', ...sends.filter((value) => isTyped(value, country, formats))],
        ...fields,
      })
    }
  return [...asked.values()]
}

const isTyped = (value: RegisterField, country: string, formats: AddressFormats): boolean =>
  !isAddressValue(value) || hasValue(value, country, formats)

function viewAnswer({ config: { connectors } }: Context, evidence: Evidence): TypedAddressAnswer {
  const asked = evidence.content.addressRegister?.call.source
  const register = connectors.addressRegisters.find(({ id }) => id === asked)
  return { evidenceId: evidence.id, source: register?.name ?? null, says: describeAddressAnswer(evidence) }
}
