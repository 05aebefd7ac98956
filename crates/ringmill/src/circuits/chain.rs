use ringmill_circuit::{Circuit, Visibility};

use super::NamedCircuit;
use crate::Error;

/// Puts the results of each circuit through the next one, as [`NamedCircuit::then`], with some input ports in the clear.
///
/// A port is named alone, or after its circuit and a dot: `hamming64.b`. The name alone is enough where only one circuit
/// of the chain has it. With `widen`, results that are narrower than the port that takes them get zeros above. Public ports of the same name get the names of their circuits before them.
///
/// # Errors
/// [`ErrorKind::Usage`](crate::ErrorKind::Usage) if there is no such port, or several; if the widths of ports differ; if
/// there is no circuit.
pub fn chain(circuits: Vec<NamedCircuit>, public: &[String], widen: bool) -> Result<NamedCircuit, Error> {
    let mut circuits = circuits;
    for name in public {
        let (index, port) = find(&circuits, name)?;
        if let Some(circuit) = circuits.get_mut(index) {
            *circuit = circuit.clone().with_public(&port)?;
        }
    }
    let mut rest = circuits.into_iter();
    let first = rest
        .next()
        .ok_or_else(|| Error::Usage("there is no circuit".to_owned()))?;
    rest.try_fold(first, |chain, next| {
        let next = told_apart(&chain, next)?;
        let chain = if widen { chain.widened_for(&next)? } else { chain };
        chain.then(&next)
    })
}

/// The circuit and the port that a name means.
fn find(circuits: &[NamedCircuit], name: &str) -> Result<(usize, String), Error> {
    let has = |circuit: &NamedCircuit, port: &str| input_names(&circuit.circuit).any(|known| known == port);
    let mut found: Vec<(usize, String)> = Vec::new();
    for (index, circuit) in circuits.iter().enumerate() {
        let qualified = name
            .strip_prefix(&label(circuit.name()))
            .and_then(|rest| rest.strip_prefix('.'));
        let port = [Some(name), qualified]
            .into_iter()
            .flatten()
            .find(|port| has(circuit, port));
        found.extend(port.map(|port| (index, port.to_owned())));
    }
    let ports = |chosen: &[(usize, String)]| {
        let names = chosen.iter().filter_map(|(index, port)| {
            let circuit = circuits.get(*index)?;
            Some(format!("{}.{port}", label(circuit.name())))
        });
        names.collect::<Vec<_>>().join(", ")
    };
    match &*found {
        [only] => Ok(only.clone()),
        [] => {
            let all = circuits.iter().enumerate();
            let all = all.flat_map(|(index, circuit)| {
                input_names(&circuit.circuit).map(move |port| (index, port.to_owned()))
            });
            let all: Vec<_> = all.collect();
            Err(Error::Usage(format!(
                "--public: there is no input port {name}; there are {}",
                ports(&all)
            )))
        }
        several => Err(Error::Usage(format!(
            "--public: {name} may be {}; say which",
            ports(several)
        ))),
    }
}

/// The circuit with other names for the public ports whose names the chain has already.
fn told_apart(chain: &NamedCircuit, next: NamedCircuit) -> Result<NamedCircuit, Error> {
    let taken: Vec<&str> = input_names(&chain.circuit).collect();
    let ports = next.circuit.inputs();
    let clashes = |name: &str| taken.contains(&name);
    let public = |port: &&ringmill_circuit::InputPort| port.visibility == Visibility::Public;
    if !ports.iter().filter(public).any(|port| clashes(&port.name)) {
        return Ok(next);
    }
    let label = label(next.name());
    let inputs = ports.iter().map(|port| {
        if port.visibility == Visibility::Private || !clashes(&port.name) {
            return port.name.clone();
        }
        let numbered = (2..).map(|number| format!("{label}-{number}.{}", port.name));
        let mut names = std::iter::once(format!("{label}.{}", port.name)).chain(numbered);
        names.find(|name| !clashes(name)).unwrap_or_default()
    });
    let inputs: Vec<String> = inputs.collect();
    let outputs = next.circuit.outputs().iter().map(|port| port.name.clone());
    let outputs: Vec<String> = outputs.collect();
    next.with_names(&inputs, &outputs)
}

/// The name of a circuit in the names of its ports: that of its file without the folder and the ending.
pub(super) fn label(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    file.split_once('.').map_or(file, |(stem, _)| stem).to_owned()
}

fn input_names(circuit: &Circuit) -> impl Iterator<Item = &str> {
    circuit.inputs().iter().map(|port| &*port.name)
}
