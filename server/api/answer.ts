/**
 * Sends results. JSON goes through its contract schema first: what the contract does not list does not leave, and an
 * answer that breaks the contract is our fault (500), not the caller's surprise.
 */
import { createHash } from 'node:crypto'
import type { Response } from 'express'
import type { z } from 'zod'
import { AppError } from '../errors.ts'
import { canonicalJson } from '../proof/verify/canonical-json.ts'
import type { KeptAnswer } from '../store/idempotency.ts'
import { CONTRACT } from './contract/index.ts'
import type { ContractName, Frozen } from './contract/index.ts'

const keepers = new WeakMap<Response, (answer: KeptAnswer) => void>()

/** Has the answer handed to `keep` before it goes out. Files are not kept. */
export function keepAnswer(res: Response, keep: (answer: KeptAnswer) => void): void {
  keepers.set(res, keep)
}

/** An answer as it will be, or as it was kept. */
export function sendAnswer(res: Response, answer: KeptAnswer): void {
  keepers.get(res)?.(answer)
  res.status(answer.status)
  for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value)
  const body = Buffer.from(answer.body)
  if (answer.status !== 204) res.setHeader('Content-Length', body.byteLength)
  res.end(body)
}

/** In the one form in which the proof holds it too, so that the two can be compared byte for byte. */
export function sendJson<Name extends ContractName>(
  res: Response,
  name: Name,
  value: Frozen<z.output<(typeof CONTRACT)[Name]>>,
): void {
  const checked = CONTRACT[name].safeParse(value)
  if (!checked.success) {
    const fields = checked.error.issues.map(({ path }) => path.map(String).join('.'))
    throw new AppError('internal', { contract: name, fields })
  }
  sendAnswer(res, {
    status: 200,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: canonicalJson(checked.data),
  })
}

export function sendNothing(res: Response): void {
  sendAnswer(res, { status: 204, headers: {}, body: '' })
}

/** 302 Found: the target was checked by whoever allowed it. */
export function sendRedirect(res: Response, target: string): void {
  sendAnswer(res, { status: 302, headers: { Location: target }, body: '' })
}

export interface OutgoingPart {
  /** `form-data; name="Portrait"` or `attachment`; the file name is added. */
  readonly disposition: string
  /** Made of ids and fixed words only. */
  readonly fileName: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/**
 * A MIME multipart body with its exact length. The boundary is a hash of the content: the same parts give the same
 * bytes every time, and no content can hold its own hash by accident.
 */
export function sendMultipart(
  res: Response,
  subtype: 'form-data' | 'mixed',
  parts: readonly OutgoingPart[],
): void {
  const hash = createHash('sha256')
  for (const { bytes } of parts) hash.update(bytes)
  const boundary = `counterproof-${hash.digest('hex').slice(0, 32)}`
  const body = Buffer.concat([
    ...parts.flatMap(({ disposition, fileName, mediaType, bytes }) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: ${disposition}; filename="${fileName}"\r\n` +
          `Content-Type: ${mediaType}\r\nContent-Length: ${bytes.byteLength}\r\n\r\n`,
      ),
      bytes,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ])
  res.status(200)
  res.setHeader('Content-Type', `multipart/${subtype}; boundary=${boundary}`)
  res.setHeader('Content-Length', body.byteLength)
  res.end(body)
}
