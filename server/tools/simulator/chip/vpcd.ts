/**
 * Puts a simulated chip into the virtual reader of pcscd (vpcd of vsmartcard, port 35963). The chip is the TCP client. Both sides send a
 * length of two bytes, most significant first, and the message; a message of one byte is a command to the slot.
 */
import { connect, type Socket } from 'node:net'
import { parseCommand, type ResponseApdu } from '../../../chip/apdu.ts'
import { ChipFault } from '../../../chip/outcome.ts'
import type { ChipCard } from './card.ts'

export const VPCD_PORT = 35_963
const CONTROL = { off: 0, on: 1, reset: 2, atr: 4 } as const
/** T=1, no historical bytes. */
const ATR = Buffer.from('3B80800101', 'hex')
const MAX_MESSAGE = 65_535

export interface InsertedCard {
  /** Ends when the reader or the caller closes the connection. */
  readonly ended: Promise<void>
  remove(): Promise<void>
}

/** @throws the error of the socket if no virtual reader listens */
export async function insertCard(card: ChipCard, port = VPCD_PORT): Promise<InsertedCard> {
  const socket = await open(port)
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  let rest = Buffer.alloc(0)
  let turn: Promise<void> = Promise.resolve()
  socket.on('data', (bytes) => {
    rest = Buffer.concat([rest, bytes])
    for (let message = takeMessage(rest); message !== null; message = takeMessage(rest)) {
      rest = rest.subarray(2 + message.length)
      const received = Buffer.from(message)
      turn = turn.then(() => answer(card, socket, received))
    }
  })
  // The chip leaves the field with its connection; the reader reports that.
  socket.on('error', () => socket.destroy())
  return {
    ended,
    remove: async () => {
      socket.destroy()
      await ended
    },
  }
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

function takeMessage(bytes: Buffer): Buffer | null {
  if (bytes.length < 2) return null
  const length = bytes.readUInt16BE(0)
  return bytes.length < 2 + length ? null : bytes.subarray(2, 2 + length)
}

async function answer(card: ChipCard, socket: Socket, message: Buffer): Promise<void> {
  if (message.length === 1) {
    if (message[0] === CONTROL.atr) send(socket, ATR)
    else await card.reset()
    return
  }
  try {
    const { data, statusWord } = await transmit(card, message)
    send(socket, Buffer.concat([data, Buffer.of(statusWord >> 8, statusWord & 0xff)]))
  } catch (error) {
    if (!(error instanceof ChipFault)) throw error
    socket.destroy() // the simulated chip left the field
  }
}

async function transmit(card: ChipCard, message: Buffer): Promise<ResponseApdu> {
  try {
    return await card.transmit(parseCommand(message))
  } catch (error) {
    if (!(error instanceof ChipFault) || error.reason === 'connection_lost') throw error
    return { data: Buffer.alloc(0), statusWord: 0x6700 }
  }
}

function send(socket: Socket, message: Buffer): void {
  if (message.length > MAX_MESSAGE) throw new RangeError('a message of vpcd')
  socket.write(Buffer.concat([Buffer.of(message.length >> 8, message.length & 0xff), message]))
}
