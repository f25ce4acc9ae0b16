/** Process of the source that `npm run bench:connectors` asks: a simulated bureau with mutual TLS, which reports its own times. */
import { readSpecimenFiles, startBureau } from '../../simulator/bureau.ts'
import type { SourceMessage, SourceSetup } from './messages.ts'

const send = (message: SourceMessage): void => void process.send?.(message)

process.once('message', (setup: SourceSetup) => {
  void (async () => {
    const { url } = await startBureau({
      port: 0,
      ...setup,
      files: readSpecimenFiles(),
      onAnswered: (requestId, milliseconds) => send({ requestId, milliseconds }),
    })
    send({ url })
  })()
})
process.once('disconnect', () => process.exit())
