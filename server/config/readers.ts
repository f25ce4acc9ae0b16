/** Configuration of the readers of chips. */
import { z } from 'zod'
import { textLike } from './text-forms.ts'

export const ReadersConfig = z
  .strictObject({
    enabled: z.boolean().default(false).describe('True: the appliance watches the readers of this machine'),
    socket: textLike(/^(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)+$/, 'must be an absolute path')
      .default('/run/pcscd/pcscd.comm')
      .describe('Socket of pcscd'),
    name: textLike(/^\P{C}{1,127}$/u, 'must be 1 to 127 characters')
      .optional()
      .describe('Uses only readers whose name begins with it; npm run readers -- list shows the names'),
    inspectionSeconds: z.int().min(5).max(300).default(60).describe('Time limit of one inspection of a chip'),
  })
  .prefault({})
  .describe('Readers of chips on this machine, through pcscd')
