/** Averages the light on skin and background over the frames of a colour step. Never judges. */
import type { CollectedLight } from './challenge-state.ts'
import type { ColourTrace, Light, LiveFace, ScreenColour } from './types.ts'

export const NO_LIGHT: CollectedLight = { frames: 0, skin: [], surround: [], edges: [] }

export function withLight(light: CollectedLight, { skin, surround, edges }: LiveFace): CollectedLight {
  return {
    frames: light.frames + 1,
    skin: skin && isLight(skin) ? [...light.skin, skin] : light.skin,
    surround: surround && isLight(surround) ? [...light.surround, surround] : light.surround,
    edges: edges && isLight(edges) ? [...light.edges, edges] : light.edges,
  }
}

/** Returns null if the skin was not visible. */
export function colourTrace(
  colour: ScreenColour,
  { skin, surround, edges }: CollectedLight,
): ColourTrace | null {
  if (skin.length === 0) return null
  return {
    colour,
    skin: meanLight(skin),
    surround: surround.length > 0 ? meanLight(surround) : null,
    edges: edges.length > 0 ? meanLight(edges) : null,
    frames: skin.length,
  }
}

function meanLight(lights: readonly Light[]): Light {
  const mean = (of: (light: Light) => number): number =>
    lights.reduce((sum, light) => sum + of(light), 0) / lights.length
  return { r: mean(({ r }) => r), g: mean(({ g }) => g), b: mean(({ b }) => b) }
}

function isLight({ r, g, b }: Light): boolean {
  return [r, g, b].every(Number.isFinite)
}
