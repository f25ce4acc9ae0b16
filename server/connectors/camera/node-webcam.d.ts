/** What is used of node-webcam, which brings no types: it writes a command line for fswebcam and runs it by a shell. */
declare module 'node-webcam' {
  export class FSWebcam {
    constructor(options: Readonly<Record<string, unknown>>)
    /** The program, as it stands in the shell's command line. */
    bin: string
    capture(location: string, done: (error: unknown, shot?: unknown) => void): void
    /** The command line itself. */
    generateSh(location: string): string
  }
  const nodeWebcam: { readonly FSWebcam: typeof FSWebcam }
  export default nodeWebcam
}
