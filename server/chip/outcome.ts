/**
 * The verdicts of chip reading and the faults that lead to them (BSI TR-03135-1 v2.5, table 5.1). A fault names its reason and,
 * if the chip answered one, the status word. It never contains a key, a password or data of the chip.
 */
export type Verdict = 'successful' | 'failed' | 'undetermined' | 'not_supported' | 'aborted'

/** Reason → verdict. The order is that of a session: data, replies, keys, then our own limits. */
export const FAULT_VERDICTS = {
  malformed_data: 'failed', // a file of the chip is not what the standard describes
  malformed_reply: 'failed', // a reply is not what the standard describes
  status_refused: 'failed', // the chip answered a status word other than success
  reply_unprotected: 'failed', // a reply under secure messaging came without its data objects
  reply_forged: 'failed', // the checksum or the status of a protected reply is wrong
  session_closed: 'failed', // a command after a fault of secure messaging
  access_key_wrong: 'failed', // the chip does not accept the key from the MRZ or the CAN
  public_key_invalid: 'failed', // a point outside the curve, or a number outside the group
  public_keys_equal: 'failed', // the chip returned the key of the terminal
  generator_invalid: 'failed', // the mapped generator is no generator
  token_wrong: 'failed', // the chip did not prove that it knows the session keys
  signature_wrong: 'failed', // the signature does not belong to the challenge
  key_not_proved: 'failed', // the chip did not prove that it has the private key
  domain_parameters_inconsistent: 'failed', // a generator outside the curve, or a group whose order is wrong
  key_information_missing: 'not_supported', // the chip offers no key for this protocol
  algorithm_unknown: 'not_supported',
  domain_parameters_unknown: 'not_supported',
  connection_lost: 'aborted', // the transport reports that the chip left the field
} as const satisfies Readonly<Record<string, Exclude<Verdict, 'successful'>>>

export type FaultReason = keyof typeof FAULT_VERDICTS

export class ChipFault extends Error {
  override readonly name = 'ChipFault'
  readonly reason: FaultReason
  readonly statusWord: number | null

  constructor(reason: FaultReason, options: ErrorOptions & { statusWord?: number } = {}) {
    super(reason, options)
    this.reason = reason
    this.statusWord = options.statusWord ?? null
  }
}

export interface Refusal {
  readonly verdict: Exclude<Verdict, 'successful'>
  readonly reason: FaultReason
  /** Null unless the chip answered with this status word. */
  readonly statusWord: number | null
}

/** Facts exist only in the successful form. */
export type Outcome<Facts> = ({ readonly verdict: 'successful' } & Facts) | Refusal

/** Turns a ChipFault into a value. Every other exception is a fault of this program and passes. */
export async function decideOutcome<Facts>(run: () => Promise<Facts>): Promise<Outcome<Facts>> {
  try {
    return { verdict: 'successful', ...(await run()) }
  } catch (error) {
    return toRefusal(error)
  }
}

/** Throws the error again if it is no ChipFault. */
export function toRefusal(error: unknown): Refusal {
  if (!(error instanceof ChipFault)) throw error
  return { verdict: FAULT_VERDICTS[error.reason], reason: error.reason, statusWord: error.statusWord }
}
