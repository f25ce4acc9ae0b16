/** The used part of node-webcam, which has no types: it builds a command line for fswebcam and runs it in a shell. */
declare module 'node-webcam' {
  export class FSWebcam {
    constructor(options: Readonly<Record<string, unknown>>)
    /** The program in the shell's command line. */
    bin: string
    capture(location: string, done: (error: unknown, shot?: unknown) => void): void
    /** Returns the command line. */
    generateSh(location: string): string
  }
  const nodeWebcam: { readonly FSWebcam: typeof FSWebcam }
  export default nodeWebcam
}
