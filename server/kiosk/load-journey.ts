/** Reads the journey and the guidance table at boot; a file that is not as promised stops the boot. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { AppError } from '../errors.ts'
import { Journey } from './contract.ts'
import { GuidanceTable } from './guidance.ts'

/** Throws `configuration_invalid` naming the file. */
export function loadJourney(folder: string, name = 'default'): { journey: Journey; guidance: GuidanceTable } {
  return {
    journey: load(folder, `${name}.json`, Journey),
    guidance: load(folder, 'guidance.json', GuidanceTable),
  }
}

function load<S extends z.ZodType>(folder: string, file: string, schema: S): z.infer<S> {
  try {
    return schema.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')))
  } catch (error) {
    throw new AppError('configuration_invalid', { file }, { cause: error })
  }
}
