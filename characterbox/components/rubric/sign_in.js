// Signing in again without leaving the form: what was marked meanwhile is sent as soon as it is done.

function signIn({ data, words }) {
  const password = make("input");
  password.type = "password";
  password.autocomplete = "current-password";
  password.setAttribute("aria-label", words.password);
  password.placeholder = words.password;
  const name = Object.assign(make("input"), { autocomplete: "username", hidden: true, value: data.rater.name });
  const fault = make("span", "fault");
  fault.setAttribute("role", "alert");
  const form = make("form", "sign-in", make("p", "", words.signedOut(data.rater.name)), name, password);
  const send = make("button", "", words.signIn);
  send.type = "submit";
  form.append(send, fault);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    fault.textContent = await refusal(data.rater.name, password.value, words);
    if (fault.textContent) return;
    outbox.signedOut = false;
    outbox.failures = 0;
    await outbox.send();
    if (!outbox.unsent()) location.reload(); // the page itself was signed out, too
  });
  return { node: form, show: () => (form.hidden = !outbox.signedOut) };
}

// Why the sign-in was refused; empty if it was not.
async function refusal(name, password, words) {
  try {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch("/sign-in", { method: "POST", headers, body: JSON.stringify({ name, password }) });
    if (response.ok) return "";
    return (await response.json()).error ?? words.unreachable;
  } catch {
    return words.unreachable;
  }
}
