import { at, unless } from '../kit.ts'
import type { Kit } from '../kit.ts'
import { mobileContact, mobileSubmission } from '../spec.ts'
import { newIdentity } from './common.ts'
import type { Chapter } from './common.ts'

const SUBMIT = 'POST /v1/identities/{id}/contact-details/mobile'
const CODE = 'POST /v1/identities/{id}/contact-details/mobile/otp'
const READ = 'GET /v1/identities/{id}/contact-details/mobile'
const NUMBER = '+33639980001'
const POLL_MS = 100
const POLLS = 150

export const mobile: Chapter = async (kit) => {
  const json = { value: NUMBER }
  await kit.call(
    SUBMIT,
    'without the consent MOBILE_OTP',
    { params: { id: await newIdentity(kit) }, json },
    { status: 403 },
  )
  const params = { id: await newIdentity(kit, ['MOBILE_OTP']) }
  await kit.call(READ, 'none yet', { params }, { status: 404, spec: 'Errors' })
  for (const value of ['0612345678', '+0612345678', '+3363998000190123', '33639980001', ''])
    await kit.call(
      SUBMIT,
      `a number that is not E.164 (${value.length} characters)`,
      { params, json: { value } },
      { status: 400 },
    )
  await kit.must(
    SUBMIT,
    'a number',
    { params, json, key: 'user-agent' },
    { status: 200, shape: mobileSubmission },
  )
  await kit.call(READ, 'the number', { params }, { status: 200, shape: mobileContact })
  for (const value of ['123', '1234567890123'])
    await kit.call(
      CODE,
      `a passcode of ${value.length} characters`,
      { params, json: { value } },
      { status: 400, spec: 'Limits' },
    )
  if (!kit.target.own) return
  await dropping(kit)

  const code = await kit.target.own.passcodeFor(NUMBER)
  await untilOtpIs(kit, params.id, 'PENDING', 'the passcode was delivered')
  const wrong = code.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10))
  await kit.call(CODE, 'a passcode that does not match', { params, json: { value: wrong } }, { status: 204 })
  await untilOtpIs(kit, params.id, 'PENDING', 'a passcode that does not match leaves it so')
  await kit.call(CODE, 'the passcode', { params, json: { value: code } }, { status: 204 })
  await untilOtpIs(kit, params.id, 'DONE', 'the passcode matches')
  const again = await kit.call(
    CODE,
    'a passcode that was used',
    { params, json: { value: code } },
    { status: 400, ours: true },
  )
  kit.claim(
    CODE,
    'a passcode that was used is error 1118 or 1101',
    unless(/"11(18|01)"/.test(JSON.stringify(again.json)), 'the code is another'),
    { spec: 'Error codes' },
  )
}

/** Types no passcode: without the number the proof can be requested immediately. */
async function dropping(kit: Kit): Promise<void> {
  const params = { id: await newIdentity(kit, ['MOBILE_OTP']) }
  await kit.must(SUBMIT, 'a number to drop', { params, json: { value: '+33639980002' } }, { status: 200 })
  const drop = 'DELETE /v1/identities/{id}/contact-details/mobile'
  await kit.call(drop, 'a number that stays unverified', { params }, { status: 204 })
  await kit.call(READ, 'none any more', { params }, { status: 404 })
  await kit.call(
    'GET /v1/identities/{id}/proof',
    'without the number',
    { params },
    { status: 200, ours: true },
  )
}

async function untilOtpIs(kit: Kit, id: string, wanted: string, title: string): Promise<void> {
  let seen: unknown
  for (let poll = 0; poll < POLLS && seen !== wanted; poll++) {
    if (poll > 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    const answer = await kit.call(READ, title, { params: { id } }, { status: 200, shape: mobileContact })
    seen = at(answer.json, 'contactDetails', 'mobile', 'otp', 'status')
  }
  kit.claim(READ, `${title}: ${wanted}`, unless(seen === wanted, `the status is ${String(seen)}`), {
    spec: 'States and transitions: mobile OTP',
  })
}
