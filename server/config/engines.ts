/** Options of the engines that a tenant mounts in place of ours. */
import { z } from 'zod'
import { serviceSchema, serviceOptions } from './service-options.ts'

const Mounted = z.strictObject({
  folder: z
    .string()
    .min(1)
    .describe('Folder with engine.json and the ONNX file, relative to the data folder'),
  // The comparison of five pictures makes up to sixteen calls.
  service: serviceSchema(serviceOptions(5_000, 10_000))
    .optional()
    .describe('The HTTP service of the engine, if engine.json says http'),
})

export const EnginesConfig = z
  .strictObject({
    faceMatching: Mounted.optional().describe('Engine that compares faces'),
    attackDetection: Mounted.optional().describe(
      'Engine that detects presentation attacks in single pictures',
    ),
  })
  .prefault({})
  .describe('Engines in place of ours (server/vision/engines)')
