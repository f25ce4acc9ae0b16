/** An outside adjudication service: its answers, signed with the reference library of Standard Webhooks. */
import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

/** 32 bytes, as the library requires. */
export const ANSWER_SECRET = `whsec_${Buffer.from('an-adjudication-service-secret-1').toString('base64')}`

/** As a file of the data folder, and in the configuration. */
export const ANSWER_SECRET_FILE = { 'adjudication.secret': `${ANSWER_SECRET}\n` }
export const ANSWERS_CONFIG = {
  callbackSecretFile: 'adjudication.secret',
  publicUrl: 'https://kiosk.example:8717',
}

export interface AnswerOptions {
  readonly id?: string
  readonly at?: Date
  readonly secret?: string
  readonly type?: string
  readonly body?: string
}

/** @param url of the appliance */
export function sendAnswer(url: string, data: object, options: AnswerOptions = {}): Promise<Response> {
  const { id = `msg_${randomUUID()}`, at = new Date(), secret = ANSWER_SECRET, type } = options
  const body = options.body ?? JSON.stringify({ type: type ?? 'adjudication.answered', data })
  return fetch(`${url}/capture/callbacks/adjudication`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    },
    body,
  })
}
