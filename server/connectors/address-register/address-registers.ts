/** The connected registers of addresses. The first one that covers an address is asked. */
import type { AddressFormats } from '../../proofing/address-form.ts'
import {
  buildAddressQuestion,
  type AddressAnswer,
  type RegisterField,
  type Resident,
} from '../../proofing/address-register.ts'
import type { OutsideCall } from '../../proofing/disclosure.ts'
import type { AddressData } from '../../proofing/evidence.ts'
import { nameQuestion } from '../../proofing/issuer-question.ts'
import type { AskedSource, SourceReply } from '../../proofing/source-reply.ts'
import { combineHealth } from '../service/combine-health.ts'
import type { ServiceHealth } from '../service/service-health.ts'
import type { AddressSource } from './address-source.ts'

export interface AddressRegisters {
  readonly count: number
  /** True if a register would be asked about this address. */
  covers(address: AddressData): boolean
  /**
   * Null if no register covers the address, or it lacks a part that each needs. A question that `known` answers is not put again.
   * Never rejects.
   */
  ask(
    evidenceId: string,
    address: AddressData,
    resident: Resident | null,
    known?: AskedSource<AddressAnswer>,
  ): Promise<SourceReply<AddressAnswer> | null>
  /** Minutes before each further try of a question that this register did not answer. */
  listPauses(source: string): readonly number[]
  /** DEGRADED if one of them did not answer the last question. */
  health(): ServiceHealth
  close(): void
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
  return {
    count: sources.length,
    covers: (address) => findQuestion(address, null) !== null,
    ask: async (evidenceId, address, resident, known) => {
      const found = findQuestion(address, resident)
      if (!found) return null
      const { source, content } = found
      const { id, authoritative } = source
      const requestId = nameQuestion(evidenceId, { source: id, ...content })
      const residentId = resident?.evidenceId ?? null
      const asked = { source: id, requestId }
      if (known?.answer && known.requestId === requestId) {
        const answer = { ...known.answer, residentId }
        return { ...asked, outcome: { kind: 'answered', answer }, call: known.call, isKnown: true }
      }
      const { effort, ...said } = await source.ask({ requestId, ...content })
      const call: OutsideCall = {
        connector: 'address-register',
        ...asked,
        values: ['country', ...(Object.keys(content.values) as RegisterField[])],
        trouble: said.kind === 'unavailable' ? said.reason : null,
        ...effort,
      }
      if (said.kind === 'unavailable') return { ...asked, outcome: said, call, isKnown: false }
      const { record, matches } = said
      const answer = { record, matches, authoritative, residentId }
      return { ...asked, outcome: { kind: 'answered', answer }, call, isKnown: false }
    },
    listPauses: (source) => sources.find(({ id }) => id === source)?.askAgainMinutes ?? [],
    health: () => combineHealth(sources),
    close: () => {
      for (const source of sources) source.close()
    },
  }
}
