/** Hostile texts, in every markup that the page reads. */

/** The function that a text would call if it were a program. */
export const MARK = "__hit";
export const PAYLOADS = [
  `<img src=x onerror="${MARK}()">`,
  `<script>${MARK}()</script>`,
  `"><svg onload=${MARK}()>`,
  `<iframe srcdoc="<script>parent.${MARK}()</script>">`,
  `[click](javascript:${MARK}())`,
  `[click](data:text/html,<script>${MARK}()</script>)`,
  `![x](https://evil.example/pixel.png)`,
  `<a href="javascript:${MARK}()">x</a>`,
  `\u001b]8;;javascript:${MARK}()\u0007link\u001b]8;;\u0007`,
  `\u202e<b>bidi</b>`,
  `<style>body{display:none}</style>`,
  `<link rel=stylesheet href=https://evil.example/x.css>`,
  `<form action=https://evil.example><input name=q autofocus onfocus=${MARK}()>`,
  `&lt;img src=x onerror=${MARK}()&gt;`,
  `{{constructor.constructor('${MARK}()')()}}`,
  `<math><mi xlink:href="javascript:${MARK}()">x</mi></math>`,
  `<base href="https://evil.example/">`,
  `<meta http-equiv=refresh content="0;url=https://evil.example">`,
  `<object data="data:text/html,x"></object>`,
  `[&#106;avascript](&#106;avascript:${MARK}())`,
];
/** Ways to wrap a payload in markup that the page reads. */
const WRAPS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `# ${text}`,
  (text) => `> ${text}`,
  (text) => `- ${text}`,
  (text) => `\`${text}\``,
  (text) => `\`\`\`html\n${text}\n\`\`\``,
  (text) => `| a |\n| --- |\n| ${text} |`,
  (text) => `**${text}**`,
  (text) => `[${text}](https://evil.example)`,
  (text) => `<div>${text}</div>`,
];
export const CORPUS = WRAPS.flatMap((wrap) => PAYLOADS.map(wrap));
