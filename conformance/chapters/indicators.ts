/** The classes of indicators: a blocking one invalidates, every other failure is a warning. */
import { at, field, unless } from '../kit.ts'
import type { Kit } from '../kit.ts'
import { PICTURES, newIdentity, verifiedPassport } from './common.ts'
import type { Chapter } from './common.ts'

const READ = 'GET /v1/identities/{id}'
const CAPTURE = 'POST /v1/identities/{id}/id-documents/capture'
const PORTRAIT = 'POST /v1/identities/{id}/attributes/portrait/capture'
const CLASSES = { spec: 'evidenceStatus' }

export const indicators: Chapter = async (kit) => {
  const id = await newIdentity(kit, ['ID_DOCUMENT', 'PORTRAIT'])
  const params = { id }
  // A picture of a face: it contains no readable document.
  const unread = await kit.must(
    CAPTURE,
    'a picture without a document',
    { params, form: { DocumentFront: PICTURES.portrait } },
    { status: 200 },
  )
  await kit.untilDecided(id, field(unread, 'id'))
  await verifiedPassport(kit, id)
  // Two faces of insufficient quality, and then the face of another person.
  for (const [title, picture] of [
    ['a portrait of bad quality', PICTURES.png],
    ['the portrait of another person', PICTURES.impostor],
  ] as const) {
    const sent = await kit.must(PORTRAIT, title, { params, form: { Portrait: picture } }, { status: 200 })
    await kit.untilDecided(id, field(sent, 'id'))
    await checkClasses(kit, id, title)
  }
  const identity = await kit.must(READ, 'another person', { params }, { status: 200 })
  const blocking = at(identity.json, 'portrait', 'evidenceStatus', 'blockingIndicators')
  kit.claim(
    READ,
    'the portrait of another person is blocked by BIOMETRIC_MATCHING_CHECK_FAILED',
    unless(
      !kit.target.own || JSON.stringify(blocking) === '["BIOMETRIC_MATCHING_CHECK_FAILED"]',
      'it is blocked by something else, or by nothing',
    ),
    { spec: 'Blocking indicators by default' },
  )
}

async function checkClasses(kit: Kit, id: string, title: string): Promise<void> {
  const { json } = await kit.must(READ, title, { params: { id } }, { status: 200 })
  const documents = at(json, 'idDocuments')
  const pieces = [...(Array.isArray(documents) ? (documents as unknown[]) : []), at(json, 'portrait')]
  const faults = pieces.flatMap((piece) => {
    const listNames = (list: string): readonly string[] => {
      const names = at(piece, 'evidenceStatus', list)
      return Array.isArray(names) ? (names as string[]) : []
    }
    const status = String(at(piece, 'evidenceStatus', 'status'))
    const isBlocked = listNames('blockingIndicators').length > 0
    return [
      ...unless(
        isBlocked === (status === 'INVALID'),
        `${status} comes with blocking indicators, or INVALID without`,
      ),
      ...unless(
        listNames('warningIndicators').every((name) => name.endsWith('_WARNING')),
        'a name under warningIndicators does not end in _WARNING',
      ),
      ...unless(
        listNames('unverifiedIndicators').every((name) => name.endsWith('_UNVERIFIED')),
        'a name under unverifiedIndicators does not end in _UNVERIFIED',
      ),
    ]
  })
  kit.claim(READ, `${title}: indicators are in their classes`, [...new Set(faults)], CLASSES)
}
