/**
 * The common part of simulators that speak one of our signed JSON protocols (server/connectors/service/signed-service.ts): it
 * checks the signature of each request.
 */
import { createPublicKey } from 'node:crypto'
import { flattenedVerify } from 'jose'
import {
  startQuestionSimulator,
  type QuestionFault,
  type QuestionSimulator,
  type SimulatorListener,
} from './question-simulator.ts'

export interface SignedSimulatorOptions extends SimulatorListener {
  /** PEM of the public key that the requests are signed with. */
  readonly publicKey: string
  readonly fault?: QuestionFault | null
  /** Default: the system's clock. */
  readonly now?: () => Date
}

interface Protocol<Q extends { readonly requestId: string }> {
  readonly path: string
  /** `typ` of the signature's header. */
  readonly type: string
  /** Null: the question does not fit the protocol. */
  read(json: unknown): Q | null
  /** The members of the answer beside `requestId`. */
  answer(question: Q): object
  /** An answer about a value that was not asked. */
  answerUnasked(question: Q): object
}

const MAX_SIGNATURE_AGE_SECONDS = 300

export function startSignedSimulator<Q extends { readonly requestId: string }>(
  options: SignedSimulatorOptions,
  protocol: Protocol<Q>,
): Promise<QuestionSimulator> {
  const key = createPublicKey(options.publicKey)
  const now = options.now ?? (() => new Date())
  const isSigned = async (body: Buffer, signature: string): Promise<boolean> => {
    const [header = '', , value = ''] = signature.split('.')
    const payload = body.toString('base64url')
    try {
      const { protectedHeader } = await flattenedVerify({ protected: header, payload, signature: value }, key)
      const age = now().getTime() / 1000 - Number(protectedHeader?.iat)
      return protectedHeader?.typ === protocol.type && Math.abs(age) < MAX_SIGNATURE_AGE_SECONDS
    } catch {
      return false
    }
  }
  return startQuestionSimulator(options, {
    path: protocol.path,
    getType: () => 'application/json',
    malformed: JSON.stringify({ record: 'PERHAPS', records: 'PERHAPS' }),
    isBelieved: (req, body) => isSigned(body, String(req.headers['request-signature'])),
    read: (body) => protocol.read(JSON.parse(body)),
    answer: (question, fault) =>
      JSON.stringify({
        requestId: fault === 'other-request' ? 'another' : question.requestId,
        ...(fault === 'unasked' ? protocol.answerUnasked(question) : protocol.answer(question)),
      }),
  })
}
