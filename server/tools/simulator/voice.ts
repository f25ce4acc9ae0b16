/**
 * A voice gateway for tests and demonstrations: the protocol in server/connectors/voice/README.md on a real socket, with faults by
 * name. It keeps what applicants would hear.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { accept, SMS_FAULTS, startSmsGateway, type Answer } from './sms.ts'

/** How a call ends. */
const REPORTED = {
  'not-answered': ['NOT_ANSWERED'],
  'no-report': [],
  'double-report': ['ANSWERED', 'ANSWERED'],
} as const
export type VoiceFault = keyof typeof SMS_FAULTS | keyof typeof REPORTED
export const VOICE_FAULTS = [...Object.keys(SMS_FAULTS), ...Object.keys(REPORTED)] as readonly VoiceFault[]

/** 32 bytes, for tests alone: the content of callbackSecretFile. */
export const VOICE_SECRET = 'whsec_c2VjcmV0IG9mIHRoZSBzaW11bGF0ZWQgdm9pY2UgZ3c='

interface Call {
  readonly to: string
  /** The spoken text. */
  readonly text: string
  readonly language: string
  readonly requestId: string
}

export interface VoiceSimulator {
  readonly url: string
  /** One for each idempotency key. */
  readonly calls: readonly Call[]
  /** Status of each answer to a report. */
  readonly confirmed: readonly number[]
  /** The digits of the last call. */
  lastCode(): string
  setFault(fault: VoiceFault | null): void
  /** Tells how a call ended, in a signed report. */
  report(call: Call, result: 'ANSWERED' | 'NOT_ANSWERED'): Promise<void>
  /** Address of the appliance, known after its start. */
  reportTo(url: string): void
  close(): Promise<void>
}

interface VoiceOptions {
  readonly port: number
  readonly fault?: VoiceFault | null
  /** Clock of the time stamps of its reports; default: that of the machine. */
  readonly now?: () => Date
  /** Address that gets its reports; absent: none does. */
  readonly reportUrl?: string | undefined
  /** Told of each call. */
  readonly onMessage?: (message: { readonly to: string; readonly text: string }) => void
}

export async function startVoice(options: VoiceOptions): Promise<VoiceSimulator> {
  const calls: Call[] = []
  const confirmed: number[] = []
  let fault = options.fault ?? null
  let { reportUrl } = options

  const report: VoiceSimulator['report'] = async ({ requestId }, result) => {
    if (reportUrl === undefined) return
    const body = JSON.stringify({ type: 'call.ended', data: { requestId, result } })
    const response = await fetch(reportUrl, {
      method: 'POST',
      headers: sign(body, options.now?.() ?? new Date()),
      body,
    })
    confirmed.push(response.status)
  }
  const answer: Answer = (res) => {
    const known = fault !== null && Object.hasOwn(SMS_FAULTS, fault) ? SMS_FAULTS[fault as 'silent'] : accept
    known(res)
  }
  const gateway = await startSmsGateway({
    port: options.port,
    answer,
    onMessage: ({ to, text }, { headers, body }) => {
      const requestId = String(headers['idempotency-key'])
      // A repetition of a request that it has makes no second call.
      if (calls.some((call) => call.requestId === requestId)) return
      const { language } = JSON.parse(body) as Pick<Call, 'language'>
      const call = { to, text, language, requestId }
      calls.push(call)
      options.onMessage?.(call)
      const results =
        fault !== null && Object.hasOwn(REPORTED, fault)
          ? REPORTED[fault as 'no-report']
          : ['ANSWERED' as const]
      // The appliance stores the answer first.
      setTimeout(() => {
        for (const result of results) void report(call, result).catch(() => undefined)
      }, REPORT_MS)
    },
  })
  return {
    url: gateway.url.replace('/messages', '/calls'),
    calls,
    confirmed,
    lastCode: () => /\d(?:, \d){3,11}/.exec(calls.at(-1)?.text ?? '')?.[0].replaceAll(', ', '') ?? '',
    setFault: (next) => {
      fault = next
    },
    report,
    reportTo: (url) => {
      reportUrl = url
    },
    close: () => gateway.close(),
  }
}

const REPORT_MS = 100

/** Standard Webhooks. */
function sign(body: string, now: Date): Record<string, string> {
  const id = randomUUID()
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const key = Buffer.from(VOICE_SECRET.replace('whsec_', ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}
