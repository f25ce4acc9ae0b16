/**
 * A bad network: a TCP proxy that cuts connections, stops transmitting, slows bytes down, and replays
 * requests. It knows only as much HTTP as it needs to find the end of a request.
 */
import { connect, createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

export interface Weather {
  /** Cuts every connection after this many bytes from the kiosk; null: never. */
  cutAfterBytes: number | null
  /** Cuts when the central service begins to answer: the work is done, but the answer is lost. */
  cutAnswers: boolean
  /** Transmits nothing in either direction, without closing. */
  silent: boolean
  /** Bytes per second from the kiosk; null: no limit. */
  bytesPerSecond: number | null
}

export interface ChaosProxy {
  readonly url: string
  readonly weather: Weather
  /** Complete requests that were transmitted, unchanged. */
  readonly heard: readonly Buffer[]
  /** Sends an earlier request again on a new connection, and returns the status of its answer. */
  replay(request: Buffer): Promise<number>
  /** Cuts all open connections. */
  cut(): void
  close(): Promise<void>
}

export async function startChaosProxy(target: { readonly port: number }): Promise<ChaosProxy> {
  const weather: Weather = { cutAfterBytes: null, cutAnswers: false, silent: false, bytesPerSecond: null }
  const open = new Set<Socket>()
  const heard: Buffer[] = []
  const server = createServer((kiosk) => {
    const central = connect(target.port, '127.0.0.1')
    const ends = [kiosk, central]
    let fromKiosk = 0
    let pending: Promise<void> = Promise.resolve()
    let request: Buffer = Buffer.alloc(0)
    for (const socket of ends) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        open.delete(socket)
        if (!weather.silent) for (const end of ends) end.destroy()
      })
    }
    kiosk.on('data', (piece: Buffer) => {
      if (weather.silent) return
      fromKiosk += piece.length
      request = collect(Buffer.concat([request, piece]), heard)
      if (weather.cutAfterBytes !== null && fromKiosk > weather.cutAfterBytes) {
        for (const end of ends) end.destroy()
        return
      }
      const rate = weather.bytesPerSecond
      if (rate === null) {
        central.write(piece)
        return
      }
      kiosk.pause()
      pending = pending.then(async () => {
        for (let at = 0; at < piece.length && !central.destroyed; at += 256) {
          central.write(piece.subarray(at, at + 256))
          await new Promise((resolve) => setTimeout(resolve, (256 / rate) * 1000))
        }
        kiosk.resume()
      })
    })
    central.on('data', (piece) => {
      if (weather.silent) return
      if (weather.cutAnswers) for (const end of ends) end.destroy()
      else kiosk.write(piece)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    weather,
    heard,
    replay: (request) =>
      new Promise((resolve, reject) => {
        const socket = connect(target.port, '127.0.0.1', () => socket.write(request))
        socket.once('data', (answer) => {
          resolve(Number(answer.toString('latin1').split(' ')[1]))
          socket.destroy()
        })
        socket.once('error', reject)
      }),
    cut: () => {
      for (const socket of open) socket.destroy()
    },
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Removes complete requests from the front; the rest begins the next one. */
function collect(bytes: Buffer, heard: Buffer[]): Buffer {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return bytes
  const head = bytes.subarray(0, end).toString('latin1')
  const length = end + 4 + Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  if (bytes.length < length) return bytes
  heard.push(Buffer.from(bytes.subarray(0, length)))
  return collect(bytes.subarray(length), heard)
}
