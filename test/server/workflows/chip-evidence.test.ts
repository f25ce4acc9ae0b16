/** The chip of a document as evidence: what confirms the document, what does not, and what the proof holds. */
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { JOB_HANDLERS } from '../../../server/jobs/handlers.ts'
import type { ChipProtocols } from '../../../server/proofing/chip-evidence.ts'
import { writeChipFiles, type ChipFiles } from '../../../server/proofing/chip-files.ts'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { reassess } from '../../../server/reassess/reassess.ts'
import { evidenceCard } from '../../../server/workflows/staff/shown-evidence.ts'
import { saveReading } from '../../../server/workflows/evidence/submit-chip.ts'
import { ImageFaultError } from '../../../server/vision/protocol.ts'
import { aPassport } from '../app/scripted-vision.ts'
import { aChip, ROGUE, trustUtopia } from '../../support/chip-documents.ts'
import { evidenceOn, FACE, uploadOf } from '../../support/bench-evidence.ts'
import { faultsOfProofFile } from '../../support/proof-schema.ts'
import { repack, unpack } from '../proof/fixture.ts'
import { openWorkflowBench, type WorkflowBench } from '../../support/workflow-bench.ts'

let its: WorkflowBench
let id: string
let documentId: string
const { evidenceOf } = evidenceOn(() => its)

beforeEach(async () => {
  its = await openWorkflowBench()
  id = await its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
  const document = await its.workflows.submitDocument(its.caller, id, {
    front: uploadOf(aPassport()),
  })
  documentId = document.id
  await its.runJobs()
})
afterEach(() => its.close())

async function submit(files: ChipFiles) {
  // Two runs at the same time would be one step of the proof.
  its.tick(1000)
  await its.workflows.submitChip(its.caller, id, documentId, files)
  await its.runJobs()
  return evidenceOf(documentId)
}

const GENUINE: ChipProtocols = {
  access: 'successful',
  chipAuthentication: 'successful',
  activeAuthentication: 'not_supported',
  mapping: 'not_supported',
}

async function read(files: ChipFiles | null, protocols: Partial<ChipProtocols> = {}) {
  const reading = {
    source: 'READER',
    readAt: its.now().toISOString(),
    protocols: { ...GENUINE, ...protocols },
  } as const
  await saveReading(its.ctx, its.caller, id, documentId, { reading, files })
  await its.runJobs()
  return evidenceOf(documentId)
}

/** The indicators of the chip alone. */
function chipIndicators({ evaluation }: ReturnType<typeof evidenceOf>): readonly string[] {
  const { positiveIndicators, warningIndicators, unverifiedIndicators } = evaluation
  return [...positiveIndicators, ...warningIndicators, ...unverifiedIndicators].filter((name) =>
    /^(NFC|CHIP)_/.test(name),
  )
}

interface Entry {
  readonly identityOperation: { readonly name: string }
  readonly counterproof?: {
    readonly chip?: { readonly source: string; readonly authenticity?: object }
  }
}

const DG14 = Buffer.from('6e00', 'hex')

describe('a chip that confirms its document', () => {
  test('gives strength, verified values and the name in its real letters', async () => {
    trustUtopia(its.ctx.store, its.now())
    const before = evidenceOf(documentId)
    expect([before.status, before.strength]).toEqual(['VERIFIED', 'LEVEL4'])
    const after = await submit(aChip({ name: 'Eriksson<<Anna<Maria' }))
    expect([after.status, after.strength]).toEqual(['VERIFIED', 'LEVEL5'])
    expect(chipIndicators(after)).toEqual([
      'NFC_PASSIVE_AUTHENTICATION_OK',
      'CHIP_REVOCATION_OK',
      'CHIP_TRUST_LISTS_OK',
      'NFC_DATA_MATCH_OK',
      'NFC_PORTRAIT_MATCH_OK',
      'NFC_CHIP_ACCESS_UNVERIFIED',
      'NFC_CHIP_AUTHENTICATION_UNVERIFIED',
      'NFC_ACTIVE_AUTHENTICATION_UNVERIFIED',
    ])
    expect(after.content.document?.personalAttributes).toMatchObject({
      surname: { value: 'Eriksson', verified: true },
      givenNames: [
        { value: 'Anna', verified: true },
        { value: 'Maria', verified: true },
      ],
      nationality: { verified: true },
    })
    const issued = its.now().toISOString().slice(0, 10)
    expect(evidenceCard(its.ctx, after).chipLists).toMatchObject([
      {
        kind: 'REVOCATION_LIST',
        country: 'UT',
        signedAt: expect.stringContaining(issued) as string,
      },
      { kind: 'CERTIFICATE', country: 'UT', signedAt: null },
    ])
    // A list that was removed since keeps its date.
    const { store } = its.ctx
    for (const { id: fileId } of store.trust.list())
      store.transaction(() =>
        store.trust.remove({
          id: fileId,
          at: its.now(),
          by: 'Ada',
          confirmedBy: 'Ben',
        }),
      )
    expect(evidenceCard(its.ctx, after).chipLists).toHaveLength(2)
  })

  test('is the reference of a live face, also of one that was compared with the print before', async () => {
    trustUtopia(its.ctx.store, its.now())
    const portrait = await its.workflows.submitPortrait(its.caller, id, uploadOf(FACE))
    await its.runJobs()
    expect(evidenceOf(portrait.id).evaluation.positiveIndicators).not.toContain('NFC_PORTRAIT_MATCH_OK')
    await submit(aChip())
    expect(evidenceOf(portrait.id).evaluation.positiveIndicators).toEqual(
      expect.arrayContaining(['BIOMETRIC_MATCHING_CHECK_OK', 'NFC_PORTRAIT_MATCH_OK']),
    )
  })

  test('refuses a face that is only that of the print', async () => {
    trustUtopia(its.ctx.store, its.now())
    const portrait = await its.workflows.submitPortrait(its.caller, id, uploadOf(FACE))
    await its.runJobs()
    expect(evidenceOf(portrait.id).status).toBe('VERIFIED')
    const document = await submit(aChip({ face: 'B' }))
    expect(chipIndicators(document)).toContain('NFC_PORTRAIT_MATCH_WARNING')
    expect(evidenceOf(portrait.id).status).toBe('INVALID')
  })

  // @clause TR-03135/copy
  test('is proven to be no copy only by our own reader and a key that the issuer signed', async () => {
    trustUtopia(its.ctx.store, its.now())
    expect(chipIndicators(await read(aChip({ more: { 14: DG14 } })))).toContain('NFC_CHIP_AUTHENTICATION_OK')
    expect(chipIndicators(await read(aChip()))).toContain('NFC_CHIP_AUTHENTICATION_UNVERIFIED')
  })

  test('and whose issuer published a revocation list after the reading is known not to be revoked', async () => {
    const readAt = its.now()
    its.tick(3 * 24 * 3_600_000)
    trustUtopia(its.ctx.store, its.now())
    const reading = { source: 'FILES', readAt: readAt.toISOString(), protocols: null } as const
    await saveReading(its.ctx, its.caller, id, documentId, { reading, files: aChip() })
    await its.runJobs()
    expect(chipIndicators(evidenceOf(documentId))).toContain('CHIP_REVOCATION_OK')
  })
})

describe('a chip does not confirm its document', () => {
  test.each<[string, () => ChipFiles, string]>([
    [
      'if a data group was changed',
      () =>
        aChip({
          change: (groups) =>
            (groups[1] = aChip({ holder: { surname: 'SMITH' } }).dataGroups.get(1) as Uint8Array),
        }),
      'WARNING',
    ],
    ['if a used group is not signed', () => aChip({ change: (groups) => (groups[11] = DG14) }), 'WARNING'],
    ['if an unknown authority of the same name signed it', () => aChip({ issued: ROGUE }), 'WARNING'],
    ['if its portrait cannot be decoded', () => aChip({ face: null }), 'UNVERIFIED'],
    ['if the file is none', () => ({ ...aChip(), sod: Buffer.from('no file') }), 'WARNING'],
  ])('%s; the document counts as before', async (_, files, suffix) => {
    trustUtopia(its.ctx.store, its.now())
    const after = await submit(files())
    expect(chipIndicators(after)).toContain(`NFC_PASSIVE_AUTHENTICATION_${suffix}`)
    expect([after.status, after.strength]).toEqual(['VERIFIED', 'LEVEL4'])
  })

  // @clause TR-03135/lists
  test('if the central service did not confirm its lists for more than three working days', async () => {
    trustUtopia(its.ctx.store, its.now())
    const { store } = its.ctx
    const check = (daysAgo: number) =>
      store.transaction(() => {
        for (const { id: fileId } of store.trust.list())
          store.trust.noteChecked(fileId, new Date(its.now().getTime() - daysAgo * 86_400_000), 1)
      })
    // Six days have at least four working days.
    check(6)
    const after = await submit(aChip())
    expect(chipIndicators(after)).toEqual(
      expect.arrayContaining(['CHIP_TRUST_LISTS_UNVERIFIED', 'NFC_PASSIVE_AUTHENTICATION_UNVERIFIED']),
    )
    expect([after.status, after.strength]).toEqual(['VERIFIED', 'LEVEL4'])
    check(0)
    expect((await submit(aChip())).strength).toBe('LEVEL5')
  })

  test('whose portrait cannot be compared stays verified, and the chip confirms it', async () => {
    trustUtopia(its.ctx.store, its.now())
    its.ctx.vision.compareFaces = () => Promise.reject(new ImageFaultError('damaged'))
    const after = await submit(aChip())
    expect(after.status).toBe('VERIFIED')
    expect(chipIndicators(after)).toContain('NFC_PORTRAIT_MATCH_UNVERIFIED')
  })

  test('whose portrait the appliance fails to process keeps what print and MRZ support, and names the reason', async () => {
    trustUtopia(its.ctx.store, its.now())
    its.ctx.vision.decodeChipPortrait = () => Promise.reject(new Error('the worker ended'))
    await its.workflows.submitChip(its.caller, id, documentId, aChip())
    const { store } = its.ctx
    const job = store.jobs.claim(its.now())
    // The runner of the jobs does it after the last try.
    store.transaction(() => {
      if (job) store.jobs.fail(job, its.now(), 'internal')
      JOB_HANDLERS['verify-evidence'].giveUp(its.ctx, id, { evidenceId: documentId }, 'internal')
    })
    its.tick(1000)
    await its.runJobs()
    const after = evidenceOf(documentId)
    expect([after.status, after.strength]).toEqual(['VERIFIED', 'LEVEL4'])
    expect(chipIndicators(after)).toContain('NFC_PASSIVE_AUTHENTICATION_UNVERIFIED')
    expect(after.content.chip?.authenticity?.reasons).toContain('portrait:not_processed')
  })

  test('with an EF.CardSecurity that its issuer did not sign', async () => {
    trustUtopia(its.ctx.store, its.now())
    const after = await submit({ ...aChip(), cardSecurity: Buffer.from('junk') })
    expect(chipIndicators(after)).toContain('NFC_PASSIVE_AUTHENTICATION_WARNING')
    expect(chipIndicators(after)).not.toContain('NFC_PASSIVE_AUTHENTICATION_OK')
  })

  // @clause TR-03135/integrity
  test('whose authority is not trusted', async () => {
    expect(chipIndicators(await submit(aChip()))).toContain('NFC_PASSIVE_AUTHENTICATION_UNVERIFIED')
  })

  // @clause TR-03135/copy
  test('if a protocol proved a copy, although its files are genuine', async () => {
    trustUtopia(its.ctx.store, its.now())
    const copy = await read(aChip({ more: { 14: DG14 } }), {
      chipAuthentication: 'failed',
    })
    expect(chipIndicators(copy)).toEqual(
      expect.arrayContaining(['NFC_CHIP_AUTHENTICATION_WARNING', 'NFC_PASSIVE_AUTHENTICATION_UNVERIFIED']),
    )
    expect(copy.strength).toBe('LEVEL4')
  })

  // @clause TR-03135/revocation
  test('if its signer is revoked', async () => {
    trustUtopia(its.ctx.store, its.now(), ['07'])
    const after = await submit(aChip())
    expect(chipIndicators(after)).toContain('NFC_PASSIVE_AUTHENTICATION_WARNING')
  })

  test('that our reader could not open; that is no warning', async () => {
    trustUtopia(its.ctx.store, its.now())
    const after = await read(null, {
      access: 'failed',
      chipAuthentication: 'aborted',
    })
    expect(chipIndicators(after)).toEqual([
      'NFC_CHIP_ACCESS_UNVERIFIED',
      'NFC_PASSIVE_AUTHENTICATION_UNVERIFIED',
      'NFC_CHIP_AUTHENTICATION_UNVERIFIED',
      'NFC_ACTIVE_AUTHENTICATION_UNVERIFIED',
      'NFC_DATA_MATCH_UNVERIFIED',
      'NFC_PORTRAIT_MATCH_UNVERIFIED',
    ])
  })

  // @clause TR-03135/mrz
  test('of another document; the document is then not verified', async () => {
    trustUtopia(its.ctx.store, its.now())
    const after = await submit(aChip({ holder: { documentNumber: 'X00000001' } }))
    expect(after.status).toBe('NOT_VERIFIED')
    expect(after.evaluation.withheldBy).toEqual(['NFC_DATA_MATCH'])
  })

  test.each<[string, Parameters<typeof aChip>[0]]>([
    ['nationality', { holder: { nationality: 'FRA' } }],
    ['sex', { holder: { sex: 'M' } }],
    ['given names, of which the chip has fewer', { holder: { givenNames: ['ANNA'] } }],
    ['given names in another order', { holder: { givenNames: ['MARIA', 'ANNA'] } }],
    ['optional data', { holder: { optionalData: '123456789' } }],
  ])('of a document with another %s; the document is then not verified', async (_, other) => {
    trustUtopia(its.ctx.store, its.now())
    const after = await submit(aChip(other))
    expect([after.status, after.evaluation.withheldBy]).toEqual(['NOT_VERIFIED', ['NFC_DATA_MATCH']])
  })

  test('of another document, whatever is submitted after it, until the chip of the document confirms it', async () => {
    trustUtopia(its.ctx.store, its.now())
    await submit(aChip({ holder: { nationality: 'FRA' } }))
    for (const later of [
      aChip({ issued: ROGUE }),
      aChip({ face: null }),
      { ...aChip(), sod: Buffer.from('no file') },
    ]) {
      const after = await submit(later)
      expect([after.status, after.evaluation.withheldBy]).toEqual(['NOT_VERIFIED', ['NFC_DATA_MATCH']])
    }
    const confirmed = await submit(aChip())
    expect([confirmed.status, confirmed.strength]).toEqual(['VERIFIED', 'LEVEL5'])
    expect(chipIndicators(confirmed)).not.toContain('NFC_DATA_MATCH_WARNING')
  })

  test('that a protocol proved to be a copy, although a caller then sends genuine files', async () => {
    trustUtopia(its.ctx.store, its.now())
    const files = aChip({ more: { 14: DG14 } })
    await read(files, { chipAuthentication: 'failed' })
    const after = await submit(files)
    expect(chipIndicators(after)).toEqual(
      expect.arrayContaining(['NFC_CHIP_AUTHENTICATION_WARNING', 'NFC_PASSIVE_AUTHENTICATION_UNVERIFIED']),
    )
    its.tick(1000)
    expect(chipIndicators(await read(files))).toContain('NFC_PASSIVE_AUTHENTICATION_OK')
  })

  test('without any list, no list is called current', async () => {
    expect(chipIndicators(await submit(aChip()))).not.toContain('CHIP_TRUST_LISTS_OK')
  })

  test('without a revocation list, the list is named as missing', async () => {
    trustUtopia(its.ctx.store, its.now(), null)
    expect(chipIndicators(await submit(aChip()))).toEqual(
      expect.arrayContaining(['NFC_PASSIVE_AUTHENTICATION_OK', 'CHIP_REVOCATION_UNVERIFIED']),
    )
  })
})

describe('the proof', () => {
  const seal = async (): Promise<Uint8Array> => {
    const proof = await its.workflows.sealProof(its.caller, id)
    return extractArchive(await buffer(Readable.from(proof.open()))) ?? new Uint8Array()
  }

  test('holds the files and certificates, so that passive authentication is repeated', async () => {
    trustUtopia(its.ctx.store, its.now())
    await its.workflows.submitPortrait(its.caller, id, uploadOf(FACE))
    await its.runJobs()
    await submit(aChip({ face: 'B' }))
    await submit(aChip({ name: 'Eriksson<<Anna<Maria' }))
    const archive = await seal()
    expect(reassess(archive)).toMatchObject({
      possible: true,
      differences: [],
      agrees: true,
    })
    const files = await unpack(archive)
    const details = files.find(({ path }) => path.endsWith('verificationAndEvaluationDetails.json'))
    const entries = JSON.parse(details?.bytes.toString('utf8') ?? '[]') as readonly Entry[]
    const readings = entries.filter(({ identityOperation: { name } }) => name === 'EVIDENCE_NFC_VERIFICATION')
    expect(readings.map(({ counterproof }) => counterproof?.chip?.source)).toEqual([undefined, 'FILES'])
    expect(readings[1]?.counterproof?.chip?.authenticity).toMatchObject({
      verdict: 'successful',
      verifiedGroups: [1, 2, 11],
      lists: [expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}$/)],
    })
    for (const path of ['verificationAndEvaluationDetails.json', 'identityDetails.json']) {
      const file = files.find((one) => one.path.endsWith(path))
      expect(faultsOfProofFile(path, JSON.parse(file?.bytes.toString('utf8') ?? 'null'))).toEqual([])
    }
  })

  test('that calls a chip genuine whose file was exchanged contradicts itself', async () => {
    trustUtopia(its.ctx.store, its.now())
    await submit(aChip())
    const files = await unpack(await seal())
    const forged = writeChipFiles(aChip({ issued: ROGUE }))
    const changed = await repack(
      files.map(({ path, bytes }) => ({
        path,
        bytes: path.includes('/additionalFiles/') ? forged : bytes,
      })),
    )
    expect(reassess(changed)).toMatchObject({
      possible: true,
      differences: [
        {
          what: 'chip',
          evidenceId: documentId,
          claimed: 'successful',
          derived: 'failed',
        },
      ],
    })
    const without = await repack(files.filter(({ path }) => !path.includes('/additionalFiles/')))
    expect(reassess(without)).toMatchObject({
      differences: [{ what: 'chip', derived: 'absent' }],
    })
  })
})

describe('the files of a chip', () => {
  test('are replaced by a later reading, and erased with the identity', async () => {
    trustUtopia(its.ctx.store, its.now())
    await submit(aChip())
    await submit(aChip({ face: 'B' }))
    const kinds = its.ctx.store.images.listByEvidence(documentId).map(({ kind }) => kind)
    expect([...kinds].sort()).toEqual(['CHIP_FILES', 'CHIP_PORTRAIT', 'DOCUMENT_CROP', 'FRONT'])
    await its.workflows.eraseIdentity(its.caller, id)
    expect(its.ctx.store.images.listByEvidence(documentId)).toEqual([])
  })

  test('are refused while the document is being verified, and for a portrait', async () => {
    const portrait = await its.workflows.submitPortrait(its.caller, id, uploadOf(FACE))
    await its.runJobs()
    await expect(its.workflows.submitChip(its.caller, id, portrait.id, aChip())).rejects.toMatchObject({
      code: 'transition_refused',
    })
    await its.workflows.submitChip(its.caller, id, documentId, aChip())
    await expect(its.workflows.submitChip(its.caller, id, documentId, aChip())).rejects.toMatchObject({
      code: 'identity_processing',
    })
  })

  test('put no value of the person into the log', async () => {
    trustUtopia(its.ctx.store, its.now())
    await submit(aChip({ name: 'Eriksson<<Anna<Maria' }))
    expect(JSON.stringify([its.logged, its.events()])).not.toMatch(/eriksson|L898902C3|740812/i)
  })
})
