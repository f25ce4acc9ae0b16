/** The connected registers of addresses. The first one that covers an address is asked. */
import type { AddressFormats } from '../../proofing/address-form.ts'
import { buildAddressQuestion, type AddressAnswer, type Resident } from '../../proofing/address-register.ts'
import type { AddressData } from '../../proofing/evidence.ts'
import type { AskedSource, SourceReason, SourceReply, Unasked } from '../../proofing/source-reply.ts'
import { findObstacle, groupSources, putQuestion, type SourceGroup } from '../service/comparing-source.ts'
import type { AddressSource } from './address-source.ts'

export interface AddressRegisters extends SourceGroup {
  /** How the countries write addresses. */
  readonly formats: AddressFormats
  /** Tells why no register can be asked about this address; null: one can. */
  findObstacle(address: AddressData): SourceReason | null
  /** Never rejects. */
  ask(
    evidenceId: string,
    address: AddressData,
    resident: Resident | null,
    known?: AskedSource<AddressAnswer>,
  ): Promise<SourceReply<AddressAnswer> | Unasked>
}

export function combineAddressRegisters(
  sources: readonly AddressSource[],
  formats: AddressFormats,
): AddressRegisters {
  const findQuestion = (address: AddressData, resident: Resident | null) => {
    for (const source of sources) {
      const content = buildAddressQuestion(address, resident, source.sends, formats)
      if (content && source.countries.includes(content.country)) return { source, content }
    }
    return null
  }
  const findReason = (address: AddressData) => findObstacle(sources, address.country) ?? 'VALUES'
  return {
    ...groupSources(sources),
    formats,
    findObstacle: (address) => (findQuestion(address, null) ? null : findReason(address)),
    ask: async (evidenceId, address, resident, known) => {
      const found = findQuestion(address, resident)
      if (!found) return { unasked: findReason(address) }
      const { source, content } = found
      const residentId = resident?.evidenceId ?? null
      const { authoritative } = source
      const reply = await putQuestion(source, {
        connector: 'address-register',
        evidenceId,
        content,
        known,
        toAnswer: ({ record, matches }): AddressAnswer => ({ record, matches, authoritative, residentId }),
      })
      if (reply.outcome.kind === 'unavailable') return reply
      // The same values may come from another evidence than those of the earlier question.
      return { ...reply, outcome: { kind: 'answered', answer: { ...reply.outcome.answer, residentId } } }
    },
  }
}
