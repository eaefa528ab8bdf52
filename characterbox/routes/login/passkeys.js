// Passkeys: asks the app for a challenge, has the browser answer it, and sends the answer back.

const post = async (path, fields) => {
    const answer = await fetch(path, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(fields),
    });
    const said = answer.status === 204 ? {} : await answer.json();
    if (!answer.ok) throw new Error(said.error);
    return said;
};

const tell = (form, error) => {
    const told = form.querySelector("[role=alert]");
    told.textContent = error.name === "Error" ? error.message : form.dataset.failed;
    told.hidden = false;
};

const sign_in = async (form) => {
    const { ticket, ask } = await post("/passkeys/ask", {});
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(ask);
    const credential = await navigator.credentials.get({ publicKey });
    await post("/passkeys/sign-in", { ticket, credential: JSON.stringify(credential) });
    location.assign(form.dataset.next);
};

const add = async (form) => {
    const fields = new FormData(form);
    const { ticket, ask } = await post("/account/passkeys/ask", { now: fields.get("now") });
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(ask);
    const credential = await navigator.credentials.create({ publicKey });
    await post("/account/passkeys", { ticket, name: fields.get("label"), credential: JSON.stringify(credential) });
    location.reload();
};

for (const [id, act] of [["passkey-sign-in", sign_in], ["passkey-add", add]]) {
    const form = document.getElementById(id);
    if (!form || !window.PublicKeyCredential?.parseRequestOptionsFromJSON) continue;
    form.hidden = false;
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        act(form).catch((error) => tell(form, error));
    });
}
