/** A chip that answers recorded responses in their order and keeps the commands it gets. */
import { encodeCommand, parseResponse, type Channel, type CommandApdu } from '../../server/chip/apdu.ts'
import { hex } from '../../server/tools/simulator/chip/hex.ts'

export interface RecordedPair {
  readonly c: string
  readonly r: string
}

export function playResponses(responses: readonly string[]): Channel & { readonly asked: string[] } {
  const asked: string[] = []
  const transmit = async (command: CommandApdu) => {
    asked.push(encodeCommand(command).toString('hex').toUpperCase())
    return parseResponse(hex(responses[asked.length - 1] ?? '6F00'))
  }
  return { asked, transmit }
}
