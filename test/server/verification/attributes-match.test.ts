import { expect, test } from 'vitest'
import type { IdDocumentData, PersonalAttributes } from '../../../server/proofing/evidence.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { attributesMatch } from '../../../server/verification/steps/attributes-match.ts'
import type { DataSubject, StepTools } from '../../../server/verification/subject.ts'
import { HOLDER } from '../app/scripted-vision.ts'

const value = (text: string) => ({ value: text, verified: false })

async function check(attributes: PersonalAttributes, document: Partial<IdDocumentData> | null) {
  const subject: DataSubject = {
    family: 'DATA',
    kind: 'ATTRIBUTES',
    evidenceId: 'attributes',
    content: { attributes },
    reference: document && {
      evidenceId: 'document',
      document: { idDocumentType: 'PASSPORT', personalAttributes: {}, ...document },
    },
    contact: null,
    testMode: false,
  }
  const { findings } = await attributesMatch.run(subject, { now: new Date('2026-03-02') } as StepTools)
  return findings.map(({ outcome, errors }) => [outcome, errors?.map(({ field }) => field)])
}

// Doc 9303 part 4: Nilavadhanananda Chayapa Dejthamrong Krasuang.
const NAMES = { surname: 'NILAVADHANANANDA', givenNames: ['CHAYAPA', 'DEJTHAMRONG', 'KRASUANG'] }
const CUT: Partial<IdDocumentData> = {
  mrz: buildTd3({ ...HOLDER, ...NAMES }),
  personalAttributes: {
    surname: value(NAMES.surname),
    givenNames: ['CHAYAPA', 'DEJTHAMRONG', 'K'].map(value),
  },
}

test('a name that the zone had no room for agrees with the whole one; typed in, the document would differ', async () => {
  const whole = { surname: value('Nilavadhanananda'), givenNames: [value('Chayapa Dejthamrong Krasuang')] }
  expect(await check(whole, CUT)).toEqual([['passed', []]])
  const { personalAttributes } = CUT
  expect(await check(whole, { personalAttributes })).toEqual([['failed', ['givenNames']]])
})

test('one difference outweighs what agrees, and what is unclear keeps it open', async () => {
  const document = { personalAttributes: { surname: value('ERIKSSON'), gender: value('F') } }
  expect(await check({ surname: value('Erikson'), gender: value('F') }, document)).toEqual([
    ['failed', ['surname']],
  ])
  expect(await check({ surname: value('山田'), gender: value('F') }, document)).toEqual([
    ['inconclusive', []],
  ])
  expect(await check({ surname: value('Eriksson'), gender: value('F') }, document)).toEqual([['passed', []]])
})

test('nothing in common is not an agreement', async () => {
  const document = { personalAttributes: { surname: value('ERIKSSON') } }
  expect(await check({ eyeColor: value('grey') }, document)).toEqual([['inconclusive', []]])
  expect(await check({ surname: value('Eriksson') }, null)).toEqual([['inconclusive', undefined]])
})
