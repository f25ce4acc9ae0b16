/** Configuration of the shell: read by main/settings.ts in another process, and checked here with the rest. */
import { z } from 'zod'

const display = z.int().min(0).max(15)

export const ShellConfig = z
  .strictObject({
    kioskDisplay: display.default(0).describe('Number of the display, from the top left, by rows'),
    counterDisplay: display
      .optional()
      .describe("Display of the counter's console; without it there is no such window"),
  })
  .prefault({})
  .describe('The windows of the Electron shell')
